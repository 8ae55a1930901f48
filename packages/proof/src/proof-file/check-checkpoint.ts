import { verifyCheckpoint } from "../checkpoint/verify-checkpoint.ts";
import {
  type TrustedCheckpointVerdict,
  verifyTrustedCheckpoint,
} from "../checkpoint/verify-trusted-checkpoint.ts";
import { describeClaimed } from "./check-stamp.ts";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";

type Fault = Extract<TrustedCheckpointVerdict, { readonly ok: false }>["fault"];

const check = (state: CheckState, sentence: string): ProofCheck => ({
  name: "checkpoint",
  state,
  subject: null,
  sentence,
});

/** Checks that the checkpoint of a proof's inclusion is the service's, by the reader's anchors. */
export async function checkCheckpoint({
  content,
  evidence,
  trusted,
  now,
}: CheckContext): Promise<ProofCheck> {
  const checkpoint = content.inclusion?.checkpoint;
  const alone = checkpoint === undefined ? null : await verifyCheckpoint(checkpoint);
  if (checkpoint === undefined || !alone?.ok) return check("failed", FAULTS.form);
  const { log, seal, timestamp } = alone.facts;
  if (log !== content.service)
    return check("failed", "Le point de contrôle est celui du journal d’un autre service.");
  const signed = `Le point de contrôle est signé par «\u00a0${seal.subject.commonName}\u00a0» et horodaté par `;
  const verdict = await verifyTrustedCheckpoint(checkpoint, { evidence: trusted, now });
  if (verdict.ok)
    return verdict.revocation === "unknown"
      ? check(
          "not_checked",
          "Rien ici ne dit si le cachet ou l’autorité d’horodatage du point de contrôle était révoqué.",
        )
      : check("ok", `${signed}«\u00a0${timestamp.authorityName}\u00a0».`);
  const claimed =
    verdict.fault === "authority"
      ? await verifyTrustedCheckpoint(checkpoint, { evidence, now })
      : verdict;
  if (!claimed.ok) return check("failed", FAULTS[claimed.fault]);
  return check("not_checked", `${signed}${describeClaimed(timestamp, claimed.authority)}`);
}

const UNSOUND =
  "Le point de contrôle du journal de transparence n’a pas la signature ou l’horodatage qu’il dit.";
const UNKNOWN_AUTHORITY =
  "Le cachet ou l’autorité d’horodatage du point de contrôle ne mène pas à une racine reconnue ici.";
const FAULTS: Readonly<Record<Fault, string>> = {
  form: UNSOUND,
  key: UNSOUND,
  signature: UNSOUND,
  content: UNSOUND,
  timestamp: UNSOUND,
  seal: UNKNOWN_AUTHORITY,
  authority: UNKNOWN_AUTHORITY,
  revoked: "Le cachet ou l’autorité d’horodatage du point de contrôle était révoqué.",
};
