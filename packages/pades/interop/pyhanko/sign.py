"""Takes a folder; signs or time-stamps each of its `*.in.pdf` with pyHanko, as `<name>.<act>.pdf`, with the keys that lie there as DER.

Keys and certificates: `signer.key`, `signer.crt`, `tsa.key`, `tsa.crt`, `ca.crt`. The time of the stamps is the second argument (ISO 8601).
"""

import sys
from datetime import datetime
from io import BytesIO
from pathlib import Path

from asn1crypto import keys, x509
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.sign import signers
from pyhanko.sign.fields import SigFieldSpec, SigSeedSubFilter
from pyhanko.sign.timestamps import DummyTimeStamper
from pyhanko_certvalidator.registry import SimpleCertificateStore


def main(folder, at):
    certificate = lambda name: x509.Certificate.load((folder / f"{name}.crt").read_bytes())
    key = lambda name: keys.PrivateKeyInfo.load((folder / f"{name}.key").read_bytes())
    store = SimpleCertificateStore()
    store.register(certificate("ca"))
    tsa = DummyTimeStamper(certificate("tsa"), key("tsa"), certs_to_embed=store, fixed_dt=at)
    signer = signers.SimpleSigner(signing_cert=certificate("signer"), signing_key=key("signer"), cert_registry=store)
    metadata = signers.PdfSignatureMetadata(field_name="Tiers", subfilter=SigSeedSubFilter.PADES, md_algorithm="sha256")

    def sign(writer, box):
        field = SigFieldSpec("Tiers", box=box)
        return signers.sign_pdf(writer, metadata, signer=signer, timestamper=tsa, new_field_spec=field).getvalue()

    acts = {
        "stamped": lambda writer: signers.PdfTimeStamper(tsa).timestamp_pdf(writer, md_algorithm="sha256").getvalue(),
        "signed": lambda writer: sign(writer, None),
        "seen": lambda writer: sign(writer, (50, 50, 250, 110)),
    }
    for path in folder.glob("*.in.pdf"):
        for act, run in acts.items():
            done = run(IncrementalPdfFileWriter(BytesIO(path.read_bytes()), strict=False))
            (folder / path.name.replace(".in.pdf", f".{act}.pdf")).write_bytes(done)
            if act == "stamped":
                again = run(IncrementalPdfFileWriter(BytesIO(done), strict=False))
                (folder / path.name.replace(".in.pdf", ".renewed.pdf")).write_bytes(again)


main(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2].replace("Z", "+00:00")))
