"""Teaches, lists and forgets tile sets for the routes; their errors become problems."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Literal

from hupai.api.hands.recognition import ReadingService
from hupai.api.tile_sets.pictures import face_picture
from hupai.api.tile_sets.schemas import TileSetLearnt, TileSetOut
from hupai.api.tile_sets.store import before_after_json, read_again, shown_json, tile_set_json
from hupai.api.web.problem_types import (
    MODEL_UNAVAILABLE,
    NOT_FOUND,
    STORAGE_FULL,
    STORAGE_UNAVAILABLE,
    TILE_SET_EXISTS,
    TILE_SET_INCOMPLETE,
)
from hupai.api.web.problems import ApiProblem, invalid_field
from hupai.api.web.uploads import photo_problem
from hupai.scoring.tiles import Tile, UnknownTileError
from hupai.vision.enrolment.enrol import (
    IncompleteSetError,
    NoEmbeddingsError,
    SetPhotoError,
    TileSetError,
    TileSetNameError,
    enrol,
)
from hupai.vision.enrolment.label_faces import Answers
from hupai.vision.enrolment.store import TileSetExistsError, TileSetStore, UnknownTileSetError
from hupai.vision.photo.decode import decode
from hupai.vision.types import Image


class TileSetService:
    """Tile sets of the service whose reader this is."""

    def __init__(self, reader: ReadingService) -> None:
        self._reader = reader

    @property
    def _store(self) -> TileSetStore:
        return self._reader.tile_sets

    async def teach(
        self,
        name: str,
        photos: Sequence[tuple[str, bytes]],
        faces: Literal[34, 42] | None,
        order: Sequence[Sequence[Tile]] | None,
        answers: Answers,
        replace: bool,
    ) -> TileSetLearnt:
        """Learn a set in the queue of the photos to read.

        Raises:
            ApiProblem: what is wrong with name or photos, ``tile-set-incomplete``,
                ``tile-set-exists``, ``busy``, ``timeout``.
        """

        def job() -> TileSetLearnt:
            with _problems():
                if not replace and name in self._store.names():
                    raise TileSetExistsError(name)
                detector = self._reader.two_stage()
                tiles, shown = enrol(
                    name,
                    photos,
                    detector,
                    faces=faces,
                    order=order,
                    answers=answers,
                    limits=self._reader.limits,
                )
                self._store.put(tiles, replace)
                knowing = detector.with_correction(self._store.fitted(name, detector))
                found = {
                    i: knowing.detect(decode(data, file, self._reader.limits).image)
                    for i, (file, data) in enumerate(photos)
                }
                again = read_again(shown.tiles, found)
                return TileSetLearnt.model_validate(
                    {**tile_set_json(tiles), "before_after": before_after_json(shown, again)}
                )

        return await self._reader.queue.run(job)

    def all(self) -> list[TileSetOut]:
        """All sets, by name."""
        found = []
        with _problems():
            for name in self._store.names():
                with suppress(UnknownTileSetError):  # it was forgotten meanwhile
                    found.append(TileSetOut.model_validate(tile_set_json(self._store.get(name))))
        return found

    def one(self, name: str) -> TileSetOut:
        """A set.

        Raises:
            ApiProblem: ``not-found``.
        """
        with _problems():
            return TileSetOut.model_validate(tile_set_json(self._store.get(name)))

    def face(self, name: str, code: str) -> Image:
        """A face of a set, RGB.

        Raises:
            ApiProblem: ``not-found``.
        """
        with _problems():
            tiles = self._store.get(name)
        try:
            picture = face_picture(tiles, Tile.from_code(code))
        except UnknownTileError:
            picture = None
        if picture is None:
            raise ApiProblem(
                NOT_FOUND,
                f"The set {name!r} has no face {code[:10]!r}.",
                f"牌组 {name} 里没有这张牌。",
            )
        return picture

    def remove(self, name: str) -> None:
        """Forget a set.

        Raises:
            ApiProblem: ``not-found``.
        """
        with _problems():
            self._store.remove(name)


@contextmanager
def _problems() -> Iterator[None]:
    """Turn errors of tile sets into problems of the service."""
    try:
        yield
    except UnknownTileSetError as error:
        raise ApiProblem(
            NOT_FOUND, f"There is no tile set called {error.name[:50]!r}.", "没有这个牌组。"
        ) from None
    except TileSetExistsError as error:
        raise ApiProblem(TILE_SET_EXISTS, str(error), "已有同名牌组。") from None
    except TileSetNameError as error:
        raise invalid_field("name", str(error), error.message_zh) from None
    except IncompleteSetError as error:
        raise ApiProblem(
            TILE_SET_INCOMPLETE, str(error), f"{error.message_zh}。", extra=shown_json(error.shown)
        ) from None
    except SetPhotoError as error:
        problem = photo_problem(error.cause)
        problem.extra["photo"] = error.photo
        raise problem from None
    except NoEmbeddingsError as error:
        raise ApiProblem(MODEL_UNAVAILABLE, str(error), "当前模型不能学习牌组。") from None
    except TileSetError as error:
        raise ApiProblem(STORAGE_UNAVAILABLE, str(error), "牌组无法读取。") from None
    except OSError as error:
        kind = STORAGE_FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else STORAGE_UNAVAILABLE
        raise ApiProblem(
            kind, "Tile sets cannot be kept or read.", "牌组无法保存或读取。"
        ) from error
