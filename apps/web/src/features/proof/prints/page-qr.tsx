import encodeQR from "qr";
import { Qr } from "../../../ui/qr/qr.tsx";
import { pageAddress } from "./proof-calls.ts";

/** Level Q, as on paper; margin of four modules (ISO/IEC 18004 §5.3.8). */
export function PageQr({ uuid, sig }: { uuid: string; sig: string }) {
  return <Qr svg={encodeQR(pageAddress(uuid, sig), "svg", { ecc: "quartile", border: 4 })} />;
}
