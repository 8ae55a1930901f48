"""Takes a folder; signs each of its `*.in.pdf` as the Python libraries do, as `<name>.<maker>.pdf`, with the RSA key and certificates that lie there as DER.

Keys and certificates: `signer.key`, `signer.crt`, `ca.crt`. The time of the signatures is the second argument (ISO 8601).
"""

import sys
from datetime import datetime
from importlib.machinery import SourceFileLoader
from io import BytesIO
from pathlib import Path

import endesive
import pyhanko_certvalidator.registry as registry
from asn1crypto import keys, x509
from cryptography.hazmat.primitives.serialization import load_der_private_key
from cryptography.x509 import load_der_x509_certificate
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers
from pyhanko.sign.fields import SigFieldSpec, SigSeedSubFilter

# Its package imports its verifier as well, which asks for more libraries than signing does.
endesive_cms = SourceFileLoader("endesive_cms", f"{endesive.__path__[0]}/pdf/cms.py").load_module()


def with_pyhanko(pdf, der, _at):
    store = registry.SimpleCertificateStore()
    store.register(x509.Certificate.load(der["ca.crt"]))
    key, certificate = keys.PrivateKeyInfo.load(der["signer.key"]), x509.Certificate.load(der["signer.crt"])
    signer = signers.SimpleSigner(signing_cert=certificate, signing_key=key, cert_registry=store)
    metadata = signers.PdfSignatureMetadata(field_name="Tiers", subfilter=SigSeedSubFilter.PADES, md_algorithm="sha256")
    writer = IncrementalPdfFileWriter(BytesIO(pdf), strict=False)
    field = SigFieldSpec("Tiers", box=(50, 400, 250, 460))
    return signers.sign_pdf(writer, metadata, signer=signer, new_field_spec=field).getvalue()


def with_endesive(pdf, der, at):
    wishes = {"sigfield": "Tiers", "contact": "", "location": "", "reason": "", "signingdate": at.strftime("D:%Y%m%d%H%M%S+00'00'")}
    certificate, authority = (load_der_x509_certificate(der[name]) for name in ("signer.crt", "ca.crt"))
    return pdf + endesive_cms.sign(pdf, wishes, load_der_private_key(der["signer.key"], None), certificate, [authority], "sha256")


def main(folder, at):
    der = {name: (folder / name).read_bytes() for name in ("signer.key", "signer.crt", "ca.crt")}
    for path in folder.glob("*.in.pdf"):
        for maker, sign in {"pyhanko": with_pyhanko, "endesive": with_endesive}.items():
            (folder / path.name.replace(".in.pdf", f".{maker}.pdf")).write_bytes(sign(path.read_bytes(), der, at))


main(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2].replace("Z", "+00:00")))
