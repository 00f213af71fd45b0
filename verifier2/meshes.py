"""Mesh files: STL (binary and text) and OBJ. Vertices as written, in double precision; triangles in the order of the file.

A number that is not finite or not below 1e12, an index that refers to nothing, a file that ends early or goes on: refused.
Polygons of an OBJ file are cut into a fan if they are convex, else they are outside the scope.
"""

import re
import struct
from fractions import Fraction

from answers import BadInput, OutsideScope

LARGEST = 1e12
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read(path):
    """Vertices and triangles of a file."""
    extension = path.suffix.lower()
    if extension not in (".stl", ".obj"):
        raise OutsideScope(f"{path}: a mesh of type {extension or 'unknown'}; .stl and .obj are read")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    vertices, triangles = stl(data, path) if extension == ".stl" else obj(text_of(data, path), path)
    if not triangles:
        raise BadInput(f"{path}: the mesh is empty: no triangle in it")
    return vertices, triangles


def text_of(data, path):
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start}: the text is not UTF-8") from error


def number(word, path):
    if not NUMBER.fullmatch(word):
        raise BadInput(f"{path}: {word[:40]!r} is not a number")
    return coordinate(float(word), path)


def coordinate(value, path):
    if not abs(value) < LARGEST:
        raise BadInput(f"{path}: the coordinate {value!r} is not a finite number below 1e12")
    return value


def stl(data, path):
    """Binary if the length fits the count in the header, else text."""
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:
        return stl_binary(data, count, path)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:5].lower() == b"solid" and b"\0" not in data:
        return stl_text(text_of(data, path), path)
    # Padding of less than one triangle is no triangle.
    if 0 <= 84 + 50 * count < len(data) and not any(data[84 + 50 * count:]):
        return stl_binary(data, count, path)
    raise BadInput(f"{path}: it is neither text nor as long as its header claims")


def stl_binary(data, count, path):
    vertices = []
    for i in range(count):
        numbers = struct.unpack_from("<9f", data, 84 + 50 * i + 12)
        vertices += [tuple(coordinate(x, path) for x in numbers[k:k + 3]) for k in (0, 3, 6)]
    return vertices, [(3 * i, 3 * i + 1, 3 * i + 2) for i in range(count)]


def stl_text(text, path):
    """`solid NAME`, facets, `endsolid NAME`; a name ends with its line."""
    words = re.findall(r"\n|[^\s]+", text.lower())[::-1]
    vertices = []

    def following():
        while words and words[-1] == "\n":
            words.pop()
        return words.pop() if words else ""

    def expect(*expected):
        for word in expected:
            found = following()
            if found != word:
                raise BadInput(f"{path}: {found[:40]!r} where {word} is expected")

    def skip_line():
        while words and words[-1] != "\n":
            words.pop()

    while (word := following()):
        if word != "solid":
            raise BadInput(f"{path}: {word[:40]!r} where solid is expected")
        skip_line()
        while (word := following()) != "endsolid":
            if word != "facet":
                raise BadInput(f"{path}: {word[:40]!r} where facet or endsolid is expected")
            expect("normal")
            for _ in range(3):
                following()
            expect("outer", "loop")
            for _ in range(3):
                expect("vertex")
                vertices.append(tuple(number(following(), path) for _ in range(3)))
            expect("endloop", "endfacet")
        skip_line()
    return vertices, [(i, i + 1, i + 2) for i in range(0, len(vertices), 3)]


# Statements that say nothing of the surface.
IGNORED = {"vt", "vn", "vp", "s", "mg", "mtllib", "usemtl", "usemap", "maplib", "lod", "bevel", "c_interp", "d_interp",
           "shadow_obj", "trace_obj", "o", "g", "l", "p", "curv", "curv2"}


def obj(text, path):
    vertices, triangles = [], []
    for line in re.sub(r"\\[ \t\r]*\n", " ", text).split("\n"):
        words = line.split("#")[0].split()
        if not words or words[0] in IGNORED:
            continue
        if words[0] == "v":
            # One more number is a weight, three are a colour.
            if len(words) not in (4, 5, 7) or len(words) == 5 and number(words[4], path) != 1.0:
                raise OutsideScope(f"{path}: a vertex with a weight or with {len(words) - 1} numbers")
            vertices.append(tuple(number(word, path) for word in words[1:4]))
        elif words[0] in ("f", "fo"):
            triangles += polygon([corner(word, len(vertices), path) for word in words[1:]], vertices, path)
        else:
            raise OutsideScope(f"{path}: the statement {words[0][:40]!r}")
    return vertices, triangles


def corner(word, count, path):
    """`7`, `7/1`, `7//2`, `7/1/2`; a negative number counts back from the last vertex."""
    if not re.fullmatch(r"[+-]?\d+(/([+-]?\d+)?){0,2}", word, re.ASCII):
        raise BadInput(f"{path}: {word[:40]!r} is no corner of a face")
    index = int(word.split("/")[0])
    place = index - 1 if index > 0 else count + index
    if index == 0 or not 0 <= place < count:
        raise BadInput(f"{path}: a face refers to vertex {index}, but {count} vertices precede it")
    return place


def polygon(corners, vertices, path):
    """A polygon as triangles. Two corners are an edge. A convex one of more than three becomes a fan from its least corner,
    so that the cut does not depend on where the list starts or which way round it runs."""
    if len(corners) < 2:
        raise BadInput(f"{path}: a face has {len(corners)} corners")
    if len(corners) == 2:
        return [(corners[0], corners[1], corners[1])]
    if len(corners) == 3:
        return [tuple(corners)]
    count, back = len(corners), corners[::-1]
    starts = [(way[i:] + way[:i], way is back) for way in (corners, back) for i in range(count)]
    ordered, is_reversed = min(starts, key=lambda one: [vertices[v] for v in one[0]])
    if not is_convex([vertices[v] for v in ordered]):
        raise OutsideScope(f"{path}: a polygon of {count} corners that is not convex")
    fan = [(ordered[0], ordered[i], ordered[i + 1]) for i in range(1, count - 1)]
    return [(a, c, b) for a, b, c in fan] if is_reversed else fan


def is_convex(points):
    """Whether an outline turns the same way at every corner and runs round once, seen along the axis nearest to its normal."""
    exact = [tuple(map(Fraction, p)) for p in points]
    edges = [(p, q) for p, q in zip(exact, exact[1:] + exact[:1])]
    areas = [sum(p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3] for p, q in edges) for k in (0, 1, 2)]
    axis = max((2, 1, 0), key=lambda k: abs(areas[k]))
    u, v = (axis + 1) % 3, (axis + 2) % 3
    ways = [(q[u] - p[u], q[v] - p[v]) for p, q in edges]
    turns = [a[0] * b[1] - a[1] * b[0] for a, b in zip(ways, ways[1:] + ways[:1])]
    if 0 in turns or len({turn > 0 for turn in turns}) != 1:
        return False
    goes_right = [way > (0, 0) for way in ways]
    return sum(a != b for a, b in zip(goes_right, goes_right[1:] + goes_right[:1])) == 2
