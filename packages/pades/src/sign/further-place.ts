import type { FieldPlacement } from "../pdf/types.ts";
import { carrierOf } from "./say-unplaced.ts";

/** A place as far as it covers something. */
type Placed = Pick<FieldPlacement, "type" | "width" | "height">;

/**
 * Gives the one place of an owner's that is made in a file signed before: the one that carries the signature, smaller where it is larger than
 * half of its page, which is more than a further signer may cover. Null without such a place.
 */
export function furtherPlace<F extends Placed>(own: readonly F[]): F | null {
  const carrier = carrierOf(own);
  if (!carrier) return null;
  const scale = Math.min(1, Math.sqrt(0.499 / (carrier.width * carrier.height)));
  return scale === 1 ? carrier : { ...carrier, width: carrier.width * scale, height: carrier.height * scale };
}
