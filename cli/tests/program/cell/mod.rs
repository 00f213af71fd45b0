//! A cell whose answers are known by hand: a ball of radius 0.1 m on a slide along x, a wall whose near face is at
//! x = 0.99, and a post, a ball of radius 0.1 m at x = −0.8. The ball touches the wall at 0.89 and the post at −0.6.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

const URDF: &str = "<robot name='r'><link name='rail'/>
    <link name='ball'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
    <joint name='slide' type='prismatic'><parent link='rail'/><child link='ball'/><axis xyz='1 0 0'/>
    <limit lower='-1' upper='2' effort='1' velocity='1'/></joint></robot>";
const SCENE: &str = "[[robots]]\nname = \"r\"\nurdf = \"r.urdf\"\n
[[obstacles]]\nname = \"wall\"\nbox = [0.02, 2, 2]\nxyz = [1, 0, 0]\n
[[obstacles]]\nname = \"post\"\nsphere = 0.1\nxyz = [-0.8, 0, 0]\n";

/// A folder with the cell in it, for one test; removed at its end.
pub(crate) struct Cell {
    pub(crate) folder: PathBuf,
}

impl Cell {
    pub(crate) fn new(test: &str) -> Self {
        // Two tests may choose the same name.
        static CELLS: AtomicUsize = AtomicUsize::new(0);
        let number = CELLS.fetch_add(1, Ordering::Relaxed);
        let folder = format!("{test}-{}-{number}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).expect("a folder for the test");
        let cell = Self { folder };
        cell.write("r.urdf", URDF);
        cell.write("cell.toml", SCENE);
        cell
    }

    /// Writes a file and gives its name.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.folder.join(name), text).expect("the file is written");
        name.to_owned()
    }

    /// A path of the slide's values.
    pub(crate) fn path(&self, name: &str, values: &[f64]) -> String {
        let rows: Vec<String> = values.iter().map(|value| format!("{value}\n")).collect();
        self.write(name, &format!("slide\n{}", rows.concat()))
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let file = self.folder.join("standard_input");
        fs::write(&file, input).expect("the input is written");
        let input = Stdio::from(fs::File::open(&file).expect("the input is there"));
        self.command(arguments).stdin(input).output().expect("the program starts")
    }

    /// The program in the cell's folder, without what the environment may say about packages and colours.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pathproof"));
        command.current_dir(&self.folder).args(arguments).stdin(Stdio::null());
        for variable in
            ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "GZ_SIM_RESOURCE_PATH", "NO_COLOR", "CLICOLOR_FORCE", "TERM"]
        {
            command.env_remove(variable);
        }
        command
    }

    /// Makes a folder.
    pub(crate) fn folder(&self, name: &str) {
        fs::create_dir_all(self.folder.join(name)).expect("a folder");
    }

    /// The JSON objects of a run that ends with `status`, one per line.
    pub(crate) fn lines(&self, arguments: &[&str], status: i32) -> Vec<Value> {
        let text = self.output(&[arguments, &["--json"]].concat(), status);
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {text}"))).collect()
    }

    /// Standard output of a run that ends with `status` and says nothing on standard error.
    pub(crate) fn output(&self, arguments: &[&str], status: i32) -> String {
        let output = self.run(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &*message), (Some(status), ""), "{arguments:?}");
        String::from_utf8(output.stdout).expect("the output is UTF-8")
    }

    /// The one JSON object of such a run.
    pub(crate) fn json(&self, arguments: &[&str], status: i32) -> Value {
        let text = self.output(&[arguments, &["--json"]].concat(), status);
        assert_eq!(text.lines().count(), 1, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The message of a run that is refused: status 2, nothing on standard output.
    pub(crate) fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let message = String::from_utf8(output.stderr).expect("the message is UTF-8");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!message.contains("panicked"), "{message}");
        message
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // What is left behind is in the build folder; a failure here must not hide the test's own.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
