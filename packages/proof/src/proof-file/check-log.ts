import { validateCertificate } from "@paraphe/pades";
import { canonicalJson } from "../canonical-json.ts";
import { verifyCheckpoint } from "../checkpoint/verify-checkpoint.ts";
import { leafHash } from "../merkle/hashes.ts";
import { verifyInclusion } from "../merkle/verify-inclusion.ts";
import { fromHex } from "./bytes.ts";
import { isSealCertificate } from "./check-seal.ts";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";

const check = (name: ProofCheck["name"], state: CheckState, sentence: string): ProofCheck => ({ name, state, subject: null, sentence });

/** Checks that the journal's head stands in the transparency log, and that its checkpoint is the service's own, at a proven time. */
export async function checkLog(context: CheckContext): Promise<readonly ProofCheck[]> {
  const { inclusion } = context.content;
  if (inclusion === null)
    return [
      check("inclusion", "not_checked", "Le journal de transparence ne couvrait pas encore cette enveloppe quand la preuve a été faite."),
    ];
  return [checkInclusion(context), await checkCheckpoint(context)];
}

function checkInclusion({ content }: CheckContext): ProofCheck {
  const { inclusion, journal, envelope } = content;
  if (inclusion === null) throw new TypeError("Expected an inclusion");
  const { entry, path, checkpoint, size, leaf_index } = inclusion;
  const event = journal.events.find(({ sequence }) => sequence === entry.sequence);
  const isOurs = entry.envelope_id === envelope && event?.hash === entry.head && size === checkpoint.size;
  const proven = verifyInclusion({
    leafHash: leafHash(new TextEncoder().encode(canonicalJson(entry))),
    leafIndex: leaf_index,
    size,
    path: path.map(fromHex),
    root: fromHex(checkpoint.root),
  });
  if (!isOurs || !proven) return check("inclusion", "failed", "La preuve d’inclusion dans le journal de transparence ne tient pas.");
  const later = journal.events.length - entry.sequence;
  const rest = later === 0 ? "" : ` ${later} plus récents n’y étaient pas encore quand la preuve a été faite.`;
  return check("inclusion", "ok", `Le journal de transparence couvre les ${entry.sequence} premiers événements.${rest}`);
}

async function checkCheckpoint({ content, evidence, now }: CheckContext): Promise<ProofCheck> {
  const name = "checkpoint";
  const verdict = content.inclusion === null ? null : await verifyCheckpoint(content.inclusion.checkpoint);
  if (!verdict?.ok)
    return check(name, "failed", "Le point de contrôle du journal de transparence n’a pas la signature ou l’horodatage qu’il dit.");
  const { log, certificates, seal, timestamp } = verdict.facts;
  if (log !== content.service) return check(name, "failed", "Le point de contrôle est celui du journal d’un autre service.");
  const known = { ...evidence, certificates: [...(evidence.certificates ?? []), ...certificates, ...timestamp.certificates] };
  const stamped = await validateCertificate(timestamp.certificateDer, {
    evidence: known,
    trustedFor: "timestamps",
    now,
    provenAt: timestamp.time,
  });
  const sealed = await validateCertificate(seal.der, { evidence: known, trustedFor: "signers", now, provenAt: timestamp.time });
  const failed =
    !isSealCertificate(seal) || [stamped, sealed].some(({ chain, indication }) => chain === null || indication === "TOTAL_FAILED");
  if (failed)
    return check(name, "failed", "Le cachet ou l’autorité d’horodatage du point de contrôle ne mène pas à une racine reconnue ici.");
  if ([stamped, sealed].some(({ indication }) => indication !== "TOTAL_PASSED"))
    return check(name, "not_checked", "Les certificats du point de contrôle n’ont pas pu être vérifiés jusqu’au bout.");
  return check(
    name,
    "ok",
    `Le point de contrôle est signé par «\u00a0${seal.subject.commonName}\u00a0» et horodaté par «\u00a0${timestamp.authorityName}\u00a0».`,
  );
}
