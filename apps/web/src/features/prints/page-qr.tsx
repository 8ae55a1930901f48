import encodeQR from "qr";
import { Qr } from "../../ui/qr/qr.tsx";

/** The QR code that leads to this page, at the level printed on paper: a quarter of it may be worn or stained. */
export function PageQr({ uuid, sig }: { uuid: string; sig: string }) {
  const address = new URL(`/verify/${encodeURIComponent(uuid)}?sig=${encodeURIComponent(sig)}`, window.location.origin).href;
  return <Qr svg={encodeQR(address, "svg", { ecc: "quartile" })} />;
}
