"""Keys that follow keys, and keys of persons: what they may sign, and whom trust reaches."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hupai.api.dossier.case import LogError
from hupai.api.dossier.chain import log
from hupai.api.dossier.chain.events import Author, KeyChanged, KeyIntroduced, Noted
from hupai.api.dossier.chain.hash_chain import check
from hupai.api.dossier.chain.log import Log
from hupai.api.dossier.chain.signers import certify, declare_lost, introduction
from tests.api.dossier.cases import BEGIN, CASE, REFEREE, key, opened

LATER = BEGIN + timedelta(days=1)
ZHAO = Author(name="local", role="referee", stated="Zhao")
NOTE = [Noted(text="x")]


def changed(*, lost: bool = False) -> Log:
    """A case whose key was changed, with a remark signed by the new one."""
    old, new = key(), key("new")
    certificate = declare_lost(old.public, new.public, BEGIN)
    if not lost:
        certificate = certify(old, new.public, BEGIN)
    case = log.extend(opened(), [KeyChanged(certificates=(certificate,))], REFEREE, new, LATER)
    return log.extend(case, NOTE, REFEREE, new, LATER)


def trusted(case: Log, *names: str) -> bool:
    keys = [key() if name == "club" else key(name) for name in names]
    return check(case.lines, [one.public.fingerprint for one in keys])[1] is None


@pytest.mark.parametrize("name", ["club", "new"])
def test_trust_goes_from_the_old_key_to_the_new_and_back(name: str) -> None:
    assert trusted(changed(), name)
    assert not trusted(changed(), "thief")


def test_after_a_lost_key_both_keys_must_be_named() -> None:
    case = changed(lost=True)
    assert not trusted(case, "club")
    assert not trusted(case, "new")
    assert trusted(case, "club", "new")


def test_the_old_key_signs_nothing_more() -> None:
    with pytest.raises(LogError, match="was replaced"):
        log.extend(changed(), NOTE, REFEREE, key(), LATER)


def test_a_key_that_the_old_one_did_not_sign_is_refused() -> None:
    forged = certify(key("thief"), key("new").public, BEGIN).model_copy(
        update={"follows": key().public.text}
    )
    with pytest.raises(LogError, match="did not sign"):
        log.extend(opened(), [KeyChanged(certificates=(forged,))], REFEREE, key("new"), LATER)
    other = certify(key("thief"), key("new").public, BEGIN)
    with pytest.raises(LogError, match="does not follow"):
        log.extend(opened(), [KeyChanged(certificates=(other,))], REFEREE, key("new"), LATER)
    genuine = certify(key(), key("new").public, BEGIN)
    with pytest.raises(LogError, match="not signed by the new key"):
        log.extend(opened(), [KeyChanged(certificates=(genuine,))], REFEREE, key("thief"), LATER)


def introduced() -> Log:
    known = introduction(CASE, "Zhao", key("zhao"))
    return log.extend(opened(), [known], REFEREE, key(), LATER)


def test_a_persons_key_signs_what_that_person_does_and_nothing_else() -> None:
    case = log.extend(introduced(), NOTE, ZHAO, key("zhao"), LATER)
    assert trusted(case, "club")
    assert not trusted(case, "zhao")
    with pytest.raises(LogError, match="key of Zhao"):
        log.extend(introduced(), NOTE, REFEREE, key("zhao"), LATER)


def test_only_the_installation_certifies_keys_and_only_their_holders() -> None:
    second = introduction(CASE, "Li", key("li"))
    with pytest.raises(LogError, match="may not introduce"):
        log.extend(introduced(), [second], ZHAO, key("zhao"), LATER)
    stolen = KeyIntroduced(key=key("li").public.text, holder="Zhao", proof=second.proof)
    with pytest.raises(LogError, match="did not sign"):
        log.extend(opened(), [stolen], REFEREE, key(), LATER)
    elsewhere = introduction("0" * 8 + CASE[8:], "Li", key("li"))
    with pytest.raises(LogError, match="did not sign"):
        log.extend(opened(), [elsewhere], REFEREE, key(), LATER)
