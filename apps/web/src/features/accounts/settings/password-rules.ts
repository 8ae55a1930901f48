import { ownPasswordRequest, passwordSchema } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import * as z from "zod/mini";

/** What is checked of a new password of one's own; `minimum`: the service's. */
export function passwordRules(minimum: number) {
  return zodResolver(
    z.strictObject({
      ...ownPasswordRequest.shape,
      new_password: passwordSchema("Nouveau mot de passe requis", minimum),
    }),
  );
}
