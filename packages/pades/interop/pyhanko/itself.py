"""Reads file names as arguments; writes one JSON line for each: what pyHanko says of the file signed twice by pyHanko itself.

A remark that it makes of its own work is about the file, or about pyHanko.
"""

import json
import logging
import signal
import sys
from datetime import datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path

from asn1crypto import keys, x509
from cryptography import x509 as certificates
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign import signers
from pyhanko.sign.diff_analysis import MetadataUpdateRule
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext
from pyhanko_certvalidator.registry import SimpleCertificateStore

# Of the processor's time.
LIMIT_S = 3


def make_signer():
    key = ec.generate_private_key(ec.SECP256R1())
    name = certificates.Name([certificates.NameAttribute(certificates.NameOID.COMMON_NAME, "pyHanko")])
    now = datetime.now(timezone.utc)
    usage = certificates.KeyUsage(True, True, *[False] * 7)
    builder = certificates.CertificateBuilder(name, name, key.public_key(), 7, now - timedelta(days=1), now + timedelta(days=1))
    made = builder.add_extension(usage, critical=True).sign(key, hashes.SHA256())
    der = key.private_bytes(serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return signers.SimpleSigner(
        signing_cert=x509.Certificate.load(made.public_bytes(serialization.Encoding.DER)),
        signing_key=keys.PrivateKeyInfo.load(der),
        cert_registry=SimpleCertificateStore(),
    )


def complaint(path, signer):
    signed = Path(path).read_bytes()
    root = PdfFileReader(BytesIO(signed), strict=False).root
    if "/Metadata" in root:
        MetadataUpdateRule.is_well_formed_xml(root.get_value_as_reference("/Metadata"))
    for field in ("first", "second"):
        writer = IncrementalPdfFileWriter(BytesIO(signed), strict=False)
        signed = signers.sign_pdf(writer, signers.PdfSignatureMetadata(field_name=field), signer=signer).getvalue()
    first = next(one for one in PdfFileReader(BytesIO(signed), strict=False).embedded_signatures if one.field_name == "first")
    status = validate_pdf_signature(first, ValidationContext(trust_roots=[signer.signing_cert]))
    return None if status.bottom_line else status.summary()


def answer(path, signer):
    signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
    try:
        return complaint(path, signer)
    except Exception as failure:  # whatever a file does to the library is its answer about that file
        return f"{type(failure).__name__}: {failure}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def give_up(_number, _frame):
    raise TimeoutError(f"no answer after {LIMIT_S} s of computing")


def main():
    signal.signal(signal.SIGPROF, give_up)
    logging.disable(logging.CRITICAL)
    signer = make_signer()
    for path in sys.argv[1:]:
        print(json.dumps({"pdf": path, "complaint": answer(path, signer)}), flush=True)


if __name__ == "__main__":
    main()
