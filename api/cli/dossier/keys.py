"""``hupai dossier``: the key that signs, and the keys of persons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hupai.api.cli.dossier.cases import PassphraseOption, opened_cases, read_passphrase, unlocked
from hupai.api.cli.options import JsonOption
from hupai.api.cli.terminal import ExitCode, fail, note, os_reason, print_json
from hupai.api.cli.typer_app import App
from hupai.api.dossier.chain.keys import PublicKey, SigningKey

_LEAST = 8
"""Characters of a passphrase."""


def key(
    change: Annotated[
        bool, typer.Option("--change", help="Make a new key, signed by the current one.")
    ] = False,
    lost: Annotated[
        bool,
        typer.Option("--lost", help="The current key is lost: continue without its signature."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print the fingerprint of this installation's signing key; made on first use.

    After --change, whoever trusts the old key can trust the new one, and the other way round.
    After --lost both must be given to verify a case that both signed.
    """
    if change and lost:
        fail("give --change or --lost, not both", ExitCode.BAD_USAGE)
    with opened_cases() as service:
        if lost:
            service.accept_lost_key()
        if change:
            old, _ = service.change_key()
            note(f"in place of {old.fingerprint}, whose file is kept beside the new one")
        public = service.store.key.public
    if as_json:
        print_json({"fingerprint": public.fingerprint, "pem": public.pem.decode()})
    else:
        typer.echo(public.fingerprint)


def signer(
    holder: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Whose key it is.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write a new key."),
    ] = None,
    known: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Register a key made elsewhere.")
    ] = None,
    passphrase_file: PassphraseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make or register a person's own key; without a name, list those that are registered.

    Acts with --sign-with FILE are signed by it. The file is encrypted with a passphrase.
    """
    if holder is None:
        with opened_cases() as service:
            persons = service.ring().persons
        for one in persons:
            fingerprint = PublicKey.from_text(one.key).fingerprint
            if as_json:
                print_json({"name": one.name, "fingerprint": fingerprint})
            else:
                typer.echo(f"{fingerprint}  {one.name}")
        return
    if (output is None) == (known is None):
        fail("give --output for a new key, or --from for one that exists", ExitCode.BAD_USAGE)
    if known is not None:
        key = unlocked(known, passphrase_file)
    else:
        assert output is not None
        key = SigningKey.generate()
        passphrase = read_passphrase(passphrase_file, confirm=True)
        if len(passphrase) < _LEAST:
            fail(f"a passphrase has at least {_LEAST} characters", ExitCode.BAD_USAGE)
        try:
            key.save(output, passphrase)
        except FileExistsError:
            fail(f"{output} exists: choose another name", ExitCode.BAD_USAGE)
        except OSError as error:
            fail(f"cannot write {output}: {os_reason(error)}")
    with opened_cases() as service:
        service.ring().register(holder, key.public)
    if as_json:
        print_json({"name": holder, "fingerprint": key.public.fingerprint})
    else:
        typer.echo(key.public.fingerprint)


def add_to(app: App) -> None:
    """Add the commands to those of ``hupai dossier``."""
    app.add("key", "hupai dossier key", "hupai dossier key --change")(key)
    app.add("signer", "hupai dossier signer Zhao --output zhao.pem", "hupai dossier signer")(signer)
