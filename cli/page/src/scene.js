// The scene in three dimensions. Only what changed is drawn again; nothing is computed here but what is on the screen.

import {
  AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, GridHelper, Group, Line,
  LineBasicMaterial, Mesh, MeshBasicMaterial, MeshLambertMaterial, PerspectiveCamera, Raycaster, Scene, SphereGeometry, Sphere,
  Vector2, Vector3, WebGLRenderer, Box3,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { corners, poseAt, summed, view } from "./data.js";

const LINKS = ["#b7c6dd", "#8fa5c6"];
const ATTACHED = "#93c3a0";
const OBSTACLE = "#b5a896";

// Whether the browser can draw at all.
export function canDraw() {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
}

export class Stage {
  constructor(canvas, data, buffer) {
    this.canvas = canvas;
    this.track = { ...data.track, poses: view(buffer, data.track.poses) };
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: false });
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    this.light();
    this.bodies = data.bodies.map((body, number) => this.add(body, number, buffer));
    this.links = Array.from({ length: data.track.links }, () => new Group());
    for (const body of this.bodies) (body.link === null ? this.scene : this.links[body.link]).add(body.mesh);
    for (const link of this.links) this.scene.add(link);
    this.pose = new Float64Array(7);
    this.balls = ["first", "second"].map(() => this.ball());
    this.gap = new Line(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
    this.gap.renderOrder = 3;
    this.gap.visible = false;
    this.scene.add(this.gap, ...this.balls);
    this.measure();
    this.addTrace();
    this.addGrid();
    this.chosen = null;
    this.recolour();
    this.resize();
    this.all();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.picks();
  }

  light() {
    this.scene.add(new AmbientLight("#ffffff", 1.3));
    const lamp = new DirectionalLight("#ffffff", 2.2);
    lamp.position.set(0.4, 0.8, 1);
    this.camera.add(lamp);
    this.scene.add(this.camera);
  }

  add(body, number, buffer) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(corners(body, view(buffer, body.vertices)), 3));
    geometry.setIndex(new BufferAttribute(summed(view(buffer, body.triangles)), 1));
    const material = new MeshLambertMaterial({ flatShading: true, side: DoubleSide });
    const mesh = new Mesh(geometry, material);
    mesh.userData.number = number;
    return { ...body, mesh };
  }

  ball() {
    const ball = new Mesh(new SphereGeometry(1, 24, 16), new MeshBasicMaterial({ depthTest: false, transparent: true }));
    ball.renderOrder = 4;
    ball.visible = false;
    return ball;
  }

  // What the camera must see: what moves, all along the path, and what stands near it.
  measure() {
    const moving = new Box3();
    const still = new Box3();
    const every = Math.max(1, Math.floor(this.track.places / 60));
    for (let sample = 0; sample < this.track.places; sample += every) {
      this.place(sample);
      for (const body of this.bodies) if (body.link !== null) moving.expandByObject(body.mesh);
    }
    for (const body of this.bodies) if (body.link === null && !body.plane) still.expandByObject(body.mesh);
    // Seen from the side away from most of what stands: it would hide what moves.
    const away = new Vector3();
    if (!moving.isEmpty() && !still.isEmpty()) moving.getCenter(away).sub(still.getCenter(new Vector3()));
    const sides = [[1, -1.3], [-1, -1.3], [1, 1.3], [-1, 1.3]].map(([x, y]) => new Vector3(x, y, 0.75).normalize());
    const isFarther = away.length() > 0.15 * still.getSize(new Vector3()).length();
    this.side = isFarther ? sides.reduce((a, b) => (b.dot(away) > a.dot(away) ? b : a)) : sides[0];
    if (moving.isEmpty()) moving.copy(still);
    if (moving.isEmpty()) moving.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    const near = moving.clone().expandByScalar(0.35 * moving.getSize(new Vector3()).length());
    this.box = still.isEmpty() ? moving : near.intersect(still.union(moving));
    this.sphere = this.box.getBoundingSphere(new Sphere());
    this.place(0);
  }

  // The way of the body that moves farthest.
  addTrace() {
    let best = { length: 0, points: [] };
    this.links.forEach((_, link) => {
      const points = [];
      let length = 0;
      for (let sample = 0; sample < this.track.places; sample++) {
        const [x, y, z] = poseAt(this.track, link, sample, this.pose);
        points.push(new Vector3(x, y, z));
        if (sample > 0) length += points[sample].distanceTo(points[sample - 1]);
      }
      if (length > best.length) best = { length, points };
    });
    this.trace = new Line(new BufferGeometry().setFromPoints(best.points), new LineBasicMaterial());
    this.scene.add(this.trace);
  }

  addGrid() {
    const size = 10 ** Math.ceil(Math.log10(2 * this.sphere.radius));
    this.grid = new GridHelper(size, 20);
    this.grid.rotation.x = Math.PI / 2;
    const floor = this.bodies.some((body) => body.plane) ? 0 : Math.min(this.box.min.z, 0);
    this.grid.position.set(this.sphere.center.x, this.sphere.center.y, floor - 1e-3 * size);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.35;
    this.scene.add(this.grid);
  }

  recolour() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => new Color(style.getPropertyValue(`--${name}`).trim());
    const pair = [colour("first"), colour("second")];
    this.bodies.forEach((body, number) => {
      const { material } = body.mesh;
      const of = this.chosen ? this.chosen.bodies.indexOf(number) : -1;
      if (of >= 0) material.color.copy(pair[of]);
      else if (body.role === "obstacle") material.color.set(OBSTACLE);
      else material.color.set(body.role === "attached" ? ATTACHED : LINKS[(body.link ?? 0) % 2]);
      const faded = body.plane ? 0.25 : body.role === "obstacle" ? 0.16 : 0.4;
      // What stands still often hides what runs into it.
      const chosen = body.link === null ? 0.6 : 1;
      material.opacity = !this.chosen ? (body.plane ? 0.5 : 1) : of < 0 ? faded : chosen;
      material.transparent = material.opacity < 1;
      material.depthWrite = !material.transparent;
      body.mesh.renderOrder = material.transparent ? 1 : 0;
      material.needsUpdate = true;
    });
    this.balls.forEach((ball, i) => ball.material.color.copy(pair[i]));
    this.gap.material.color.copy(colour("collision"));
    this.trace.material.color.copy(colour("quiet"));
    this.draw();
  }

  // Shows a pair in colour, with a point of each where they are known; null shows everything alike.
  choose(chosen) {
    this.chosen = chosen;
    this.showPoints(chosen?.points);
    this.recolour();
  }

  // A point of each body and the gap between them; none hides them.
  showPoints(both) {
    const points = both?.map((point) => new Vector3(...point)) ?? [];
    const radius = 0.008 * this.sphere.radius;
    this.balls.forEach((ball, i) => {
      ball.visible = points.length === 2;
      if (ball.visible) ball.position.copy(points[i]);
      // One of them is smaller, so that both are seen where they are the same.
      ball.scale.setScalar(i === 0 ? radius : 0.6 * radius);
    });
    this.gap.visible = points.length === 2;
    if (this.gap.visible) this.gap.geometry.setFromPoints(points);
    this.points = both;
  }

  place(sample) {
    this.links?.forEach((group, link) => {
      const [x, y, z, i, j, k, w] = poseAt(this.track, link, sample, this.pose);
      group.position.set(x, y, z);
      group.quaternion.set(i, j, k, w);
      group.updateMatrixWorld(true);
    });
  }

  show(sample) {
    this.place(sample);
    this.draw();
  }

  // At most once a frame.
  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      const start = performance.now();
      this.renderer.render(this.scene, this.camera);
      this.milliseconds = performance.now() - start;
      this.frames = (this.frames ?? 0) + 1;
    });
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / Math.max(clientHeight, 1);
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  look(centre, radius, direction) {
    const narrow = Math.min(1, this.camera.aspect);
    const distance = radius / Math.sin((this.camera.fov / 2) * (Math.PI / 180)) / narrow;
    this.lookFrom(centre, distance, direction.normalize());
  }

  lookFrom(centre, distance, direction) {
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.camera.near = distance / 500;
    this.camera.far = distance * 50 + 20 * this.sphere.radius;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(centre);
    this.controls.update();
    this.draw();
  }

  // As near as the corners of what is to be seen allow.
  all() {
    const direction = this.side.clone();
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const tangent = Math.tan((this.camera.fov / 2) * (Math.PI / 180));
    const { min, max } = this.box;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(...["x", "y", "z"].map((axis, i) => ((corner >> i) & 1 ? max : min)[axis])).sub(this.sphere.center);
      const wide = Math.abs(at.dot(right)) / (tangent * this.camera.aspect);
      distance = Math.max(distance, at.dot(direction) + 1.06 * Math.max(wide, Math.abs(at.dot(up)) / tangent));
    }
    this.lookFrom(this.sphere.center.clone(), distance, direction);
  }

  closeUp() {
    const { points } = this;
    if (!points) return;
    const centre = new Vector3(...points[0]).add(new Vector3(...points[1])).multiplyScalar(0.5);
    this.look(centre, 0.18 * this.sphere.radius, this.camera.position.clone().sub(this.controls.target));
  }

  key(event) {
    const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    const zoom = { "+": 0.9, "=": 0.9, "-": 1.1 }[event.key];
    if (!turns && !zoom) return;
    event.preventDefault();
    event.stopPropagation();
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (zoom) offset.multiplyScalar(zoom);
    else {
      const side = new Vector3(0, 0, 1).cross(offset).normalize();
      const turned = offset.clone().applyAxisAngle(side, turns[1]);
      // Not over the pole.
      if (Math.abs(turned.z) < 0.98 * turned.length()) offset.copy(turned);
      offset.applyAxisAngle(new Vector3(0, 0, 1), turns[0]);
    }
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.draw();
  }

  // A click that is no drag names the body under it.
  picks() {
    let from = null;
    this.canvas.addEventListener("pointerdown", (event) => (from = [event.clientX, event.clientY]));
    this.canvas.addEventListener("pointerup", (event) => {
      if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 4) return;
      const box = this.canvas.getBoundingClientRect();
      const at = new Vector2(
        (2 * (event.clientX - box.left)) / box.width - 1,
        1 - (2 * (event.clientY - box.top)) / box.height,
      );
      const ray = new Raycaster();
      ray.setFromCamera(at, this.camera);
      const [hit] = ray.intersectObjects(this.bodies.map((body) => body.mesh), false);
      this.onPick?.(hit ? this.bodies[hit.object.userData.number].name : "");
    });
  }
}
