"""Reads lines "pdf TAB trust anchors (DER files, comma between) TAB validation time (ISO 8601)", writes one JSON line for each, in order.

Nothing is asked online: a file has to prove itself by what it carries, revocation included; a fourth word, "soft-fail", lets that be missing.
"""

import asyncio
import gc
import json
import logging
import re
import signal
import sys
from binascii import unhexlify
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from asn1crypto import x509
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.pdf_utils.xref import XRefCache
from pyhanko.sign.validation import ades
from pyhanko.sign.diff_analysis import DEFAULT_DIFF_POLICY, DiffPolicy, DiffResult
from pyhanko.sign.validation import async_validate_pdf_timestamp
from pyhanko.sign.validation.ades import ades_lta_validation
from pyhanko.sign.validation.dss import DocumentSecurityStore
from pyhanko.sign.validation.errors import NoDSSFoundError
from pyhanko.sign.validation.policy_decl import (
    PdfSignatureValidationSpec,
    RevinfoOnlineFetchingRule,
    RevocationInfoGatheringSpec,
    SignatureValidationSpec,
)
from pyhanko_certvalidator.context import CertValidationPolicySpec, ValidationContext
from pyhanko_certvalidator.ltv import ades_past, poe
from pyhanko_certvalidator.ltv.types import ValidationTimingInfo
from pyhanko_certvalidator.policy_decl import CertRevTrustPolicy, RevocationCheckingPolicy
from pyhanko_certvalidator.registry import SimpleTrustManager


# Of the processor's time: a busy machine makes no file worse.
LIMIT_S = 10


class Clock(datetime):
    """The time that is asked about, for what pyHanko asks the machine's clock: how far back a proof of existence counts, whichever day the tests run."""

    at = None

    @classmethod
    def now(cls, tz=None):
        return cls.at.astimezone(tz)


for module in (ades, ades_past, poe):
    module.datetime = Clock


# A signature's hexadecimal digits in one step instead of one by one.
READ_HEX = generic.read_hex_string_from_stream
HEX_STRING = re.compile(rb"<((?:[0-9A-Fa-f]{2})*)>")
CHUNK = 1 << 16


def read_hex(stream):
    start = stream.tell()
    found = HEX_STRING.match(stream.read(CHUNK))
    stream.seek(start + found.end() if found else start)
    return generic.pdf_string(unhexlify(found[1])) if found else READ_HEX(stream)


generic.read_hex_string_from_stream = read_hex

# Names of certificates are prepared at each comparison: once is enough.
NAME = x509.RDNSequence
SAME_NAME, NAME_KEY = NAME.__eq__, NAME.hashable.fget


@lru_cache(1 << 14)
def same_name(one, other):
    return SAME_NAME(NAME.load(one), NAME.load(other))


@lru_cache(1 << 14)
def name_key(name):
    return NAME_KEY(NAME.load(name))


NAME.__eq__ = lambda name, other: isinstance(other, NAME) and same_name(name.dump(), other.dump())
NAME.hashable = property(lambda name: name_key(name.dump()))

# Where an object was first written, and last: pyHanko looks through every revision again at each mention of it. A table that is read stays as it is.
LOOKUPS = [lru_cache(1 << 16)(getattr(XRefCache, name)) for name in ("get_introducing_revision", "get_last_change")]
for lookup in LOOKUPS:
    setattr(XRefCache, lookup.__name__, lookup)


class RememberedDiff(DiffPolicy):
    """pyHanko compares every signature with every later revision again for each signature judged: once a file is enough."""

    def __init__(self):
        self._known = {}

    def apply(self, old, new, field_mdp_spec=None, doc_mdp=None):
        return DEFAULT_DIFF_POLICY.apply(old, new, field_mdp_spec, doc_mdp)

    def review_file(self, reader, base_revision, field_mdp_spec=None, doc_mdp=None):
        revision = getattr(base_revision, "revision", base_revision)
        key = (revision, repr(field_mdp_spec), doc_mdp)
        if key not in self._known:
            self._known[key] = DEFAULT_DIFF_POLICY.review_file(reader, base_revision, field_mdp_spec, doc_mdp)
        return self._known[key]


def integrity(embedded):
    diff = embedded.diff_result
    level = diff.modification_level.name if isinstance(diff, DiffResult) else None if diff is None else "OTHER"
    facts = embedded.summarise_integrity_info()
    return {
        "field": embedded.field_name,
        "coverage": facts["coverage"].name,
        "modification_level": level,
        "modification": None if diff is None or isinstance(diff, DiffResult) else str(diff),
        "docmdp_ok": facts["docmdp_ok"],
    }


async def judge_signature(embedded, spec, timing):
    result = await ades_lta_validation(embedded, spec, timing_info=timing)
    status = result.api_status
    return {
        "kind": "signature",
        "ades": str(result.ades_subindic),
        "failure": result.failure_msg,
        "intact": bool(status and status.intact),
        "valid": bool(status and status.valid),
        "trusted": bool(status and status.trusted),
        "bottom_line": bool(status and status.bottom_line),
        "archived": result.oldest_evidence_record_timestamp is not None,
        **integrity(embedded),
    }


async def judge_timestamp(embedded, context, diff_policy):
    status = await async_validate_pdf_timestamp(embedded, context, diff_policy=diff_policy)
    return {
        "kind": "document_timestamp",
        "ades": None,
        "failure": None if status.trust_problem_indic is None else str(status.trust_problem_indic),
        "intact": status.intact,
        "valid": status.valid,
        "trusted": status.trusted,
        "bottom_line": status.intact and status.valid and status.trusted,
        "archived": True,
        **integrity(embedded),
    }


def context_of(reader, options):
    try:
        return DocumentSecurityStore.read_dss(reader).as_validation_context(options)
    except NoDSSFoundError:
        return ValidationContext(**options)


async def judge(path, anchors, at, revocation):
    trust = SimpleTrustManager.build(trust_roots=anchors)
    spec = PdfSignatureValidationSpec(
        SignatureValidationSpec(
            cert_validation_policy=CertValidationPolicySpec(trust, CertRevTrustPolicy(RevocationCheckingPolicy.from_legacy(revocation))),
            revinfo_gathering_policy=RevocationInfoGatheringSpec(RevinfoOnlineFetchingRule.LOCAL_ONLY),
        ),
        diff_policy=RememberedDiff(),
    )
    Clock.at = at
    timing = ValidationTimingInfo(validation_time=at, best_signature_time=at, point_in_time_validation=True)
    signatures = []
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=False)
        for embedded in reader.embedded_signatures:
            if embedded.sig_object_type == "/DocTimeStamp":
                options = {"trust_roots": anchors, "allow_fetching": False, "moment": at, "revocation_mode": revocation}
                signatures.append(await judge_timestamp(embedded, context_of(reader, options), spec.diff_policy))
            else:
                signatures.append(await judge_signature(embedded, spec, timing))
    return signatures


def answer(line):
    path, anchor_paths, at, *revocation = line.rstrip("\n").split("\t")
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        anchors = [x509.Certificate.load(Path(anchor).read_bytes()) for anchor in anchor_paths.split(",")]
        moment = datetime.fromisoformat(at.replace("Z", "+00:00"))
        return {"pdf": path, "signatures": asyncio.run(judge(path, anchors, moment, *(revocation or ["require"])))}
    except Exception as failure:  # whatever a file does to the library is its answer about that file
        return {"pdf": path, "error": f"{type(failure).__name__}: {failure}"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # What is remembered of a file keeps all of it in memory.
        for lookup in LOOKUPS:
            lookup.cache_clear()


def give_up(_number, _frame):
    raise TimeoutError(f"no answer after {LIMIT_S} s of computing")


def main():
    signal.signal(signal.SIGPROF, give_up)
    logging.disable(logging.CRITICAL)
    # What is imported is never garbage, and a file's objects mostly end with it: looking for cycles at each 700 new ones takes longer than they are worth.
    gc.freeze()
    gc.set_threshold(100_000)
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(answer(line)), flush=True)


if __name__ == "__main__":
    main()
