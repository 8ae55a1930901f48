import { ownPasswordRequest, passwordSchema } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import * as z from "zod/mini";

/** `minimum`: characters. */
export function passwordRules(minimum: number) {
  return zodResolver(
    z.strictObject({
      ...ownPasswordRequest.shape,
      new_password: passwordSchema("Nouveau mot de passe requis", minimum),
    }),
  );
}
