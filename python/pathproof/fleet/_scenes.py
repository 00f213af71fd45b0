"""Scenes by name and checkers by scene and clearance, made when they are first asked for; a few of each are kept.

A run pins its scenes by their fingerprints: a worker that reads another scene under the same name ends the run, since
its answers would not be those of the other workers.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import TypeAlias, TypeVar

from .._errors import FileError, InputError, SceneError
from .._pathproof import Checker, Scene
from ._settings import FleetError, Settings

Source: TypeAlias = Scene | str | os.PathLike[str] | Mapping[str, Scene | str | os.PathLike[str]]
"""A scene, a scene file or robot, a folder of scene files, or scenes by name."""

BAD = (FileError, InputError, SceneError)
"""What is wrong with a row, as opposed to the run."""

SCENES_KEPT = 8
CHECKERS_KEPT = 64

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Scenes:
    """Checkers for rows."""

    def __init__(self, source: Source, settings: Settings, pins: Mapping[str, str] | None = None) -> None:
        self._source = source if isinstance(source, (Scene, Mapping)) else Path(source)
        self._settings = settings
        self._pins = pins
        self._scenes: OrderedDict[str, Scene | Exception] = OrderedDict()
        self._checkers: OrderedDict[tuple[str, float | None], Checker | Exception] = OrderedDict()

    @property
    def are_named(self) -> bool:
        """Whether rows must name their scene."""
        return isinstance(self._source, Mapping) or (isinstance(self._source, Path) and self._source.is_dir())

    def pin(self, name: str) -> str:
        """The fingerprint of a scene, or the kind of fault where there is none."""
        try:
            return self.scene(name).fingerprint
        except BAD as fault:
            return _pin_of_fault(fault)

    def scene(self, name: str) -> Scene:
        """The scene of a name, which is empty where there is one only. Raises what is wrong with it."""
        return _kept(self._scenes, name, SCENES_KEPT, self._pinned)

    def checker(self, name: str, clearance: float | None) -> Checker:
        """The checker for rows of a scene and a clearance, which is none where rows have none of their own."""
        return _kept(self._checkers, (name, clearance), CHECKERS_KEPT, self._make_checker)

    def _make_checker(self, key: tuple[str, float | None]) -> Checker:
        name, clearance = key
        settings = self._settings
        if clearance is not None:
            # The one without shares its trees.
            usual = self.checker(name, None)
            return usual.updated(usual.scene.with_clearance(clearance))
        # In the scene and not in the checker, which would keep the run's clearance over the row's.
        scene = self.scene(name)
        if settings.clearance is not None:
            scene = scene.with_clearance(settings.clearance)
        if settings.self_clearance is not None:
            scene = scene.with_self_clearance(settings.self_clearance)
        if settings.tolerance is not None:
            scene = scene.with_tolerance(settings.tolerance)
        return Checker(scene, allow_empty=settings.allow_empty)

    def _pinned(self, name: str) -> Scene:
        scene: Scene | None = None
        try:
            scene = self._load(name)
            found = scene.fingerprint
        except BAD as fault:
            if self._pins is None or self._pins.get(name) == _pin_of_fault(fault):
                raise
            found = f"cannot be read: {fault}"
        if scene is None or (self._pins is not None and self._pins.get(name) != found):
            told = f"the scene {name!r}" if name else "the scene"
            raise FleetError(f"{told} is not what it was when the run was started: {found}; start a new run")
        return scene

    def _load(self, name: str) -> Scene:
        source: Scene | str | os.PathLike[str]
        if self.are_named and not name:
            raise InputError("the row names no scene")
        if isinstance(self._source, Mapping):
            if name not in self._source:
                raise InputError(f"the scene {name!r} is none of {sorted(self._source)}")
            source = self._source[name]
        elif isinstance(self._source, Path) and name:
            relative = PurePath(name)
            if relative.is_absolute() or ".." in relative.parts:
                raise InputError(f"the scene {name!r} is not the name of a file in {self._source}")
            source = self._source / relative
        else:
            source = self._source
        return source if isinstance(source, Scene) else Scene.load(source)


def _pin_of_fault(fault: Exception) -> str:
    """Messages name files as they were given, and workers are given the whole path."""
    return f"cannot be read: {type(fault).__name__}"


def _kept(
    cache: OrderedDict[_Key, _Value | Exception], key: _Key, size: int, make: Callable[[_Key], _Value]
) -> _Value:
    """From the cache, or made; what was wrong is kept too, so that a bad scene is read once and not for every row."""
    if key in cache:
        cache.move_to_end(key)
    else:
        try:
            cache[key] = make(key)
        except BAD as fault:
            cache[key] = fault
        if len(cache) > size:
            cache.popitem(last=False)
    found = cache[key]
    if isinstance(found, Exception):
        raise found
    return found
