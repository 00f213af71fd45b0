//! The page itself: markup, style, script and data in one file that loads nothing else.
//!
//! The page's own policy allows only this script and this style, identified by their hashes. Data is in elements that
//! no browser runs, with every `<` escaped so that none can end them.

use anyhow::Result;
use base64::Engine as _;
use pathproof::numeric::Sha256;

use serde::Serialize;

use super::blob::Blob;

const MARKUP: &str = include_str!("../../page/page.html");
const STYLE: &str = include_str!("../../page/style.css");
/// Bundled by `cli/page/build.mjs` from `cli/page/src` and three.js.
const SCRIPT: &str = include_str!("../../page/view.min.js");

/// Content of the markup itself.
pub(super) struct Head<'a> {
    pub(super) title: &'a str,
    /// Verdict, or the word in its place; used by the style.
    pub(super) verdict: &'a str,
    pub(super) word: &'a str,
    pub(super) headline: &'a str,
    /// The answer as text.
    pub(super) text: &'a str,
}

/// Page of a document, which is serialised as it is.
pub(super) fn page(head: &Head<'_>, document: &impl Serialize, blob: &Blob) -> Result<Vec<u8>> {
    let json = serde_json::to_string(document)?.replace('<', "\\u003c");
    let policy = format!("default-src 'none'; script-src '{}'; style-src '{}'", hash(SCRIPT), hash(STYLE));
    let parts = [
        ("title", escaped(head.title)),
        ("policy", policy),
        ("style", STYLE.to_owned()),
        ("verdict", escaped(head.verdict)),
        ("word", escaped(head.word)),
        ("headline", escaped(head.headline)),
        ("text", escaped(head.text)),
        ("json", json),
        ("blob", blob.text()?),
        ("script", SCRIPT.to_owned()),
    ];
    Ok(filled(MARKUP, &parts).into_bytes())
}

/// Replaces `{{name}}` in the markup. The inserted text is not scanned again.
fn filled(markup: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = markup;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, after) = after.split_once("}}").expect("the markup closes what it opens");
        let part = parts.iter().find(|part| part.0 == name).expect("the markup asks for known parts");
        page.push_str(&part.1);
        rest = after;
    }
    page.push_str(rest);
    page
}

/// Hash in the notation of a content policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::of(text.as_bytes())))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_looks_like_a_place_for_another_is_left_alone() {
        let parts = [("title", "{{text}}".to_owned()), ("text", "secret".to_owned())];
        assert_eq!(filled("<b>{{title}}</b>{{text}}", &parts), "<b>{{text}}</b>secret");
    }

    #[test]
    fn hashes_are_as_the_standard_of_content_security_policy_has_them() {
        // The example of the CSP specification: script-src for `doSubmit()`.
        assert_eq!(hash("doSubmit()"), "sha256-jzgBGA4UWFFmpOBq0JpdsySukE1FrEN5bUpoK8Z29fY=");
    }

    #[test]
    fn neither_style_nor_script_can_end_its_own_element() {
        assert!(!STYLE.contains("</style") && !SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
    }
}
