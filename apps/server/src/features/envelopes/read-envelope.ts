import type { Envelope } from "@paraphe/contracts";
import { failure, problem, type Result, success } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import type { EnvelopeCommand } from "./domain/command.ts";
import { viewerOf } from "./domain/viewer.ts";
import { loadEnvelope } from "./load-envelope.ts";
import { presentTo, presentToOwner } from "./present-to.ts";

/** Gives an envelope as its owner or one of its recipients may see it. Errors: `not_found`. */
export async function readEnvelope(
  platform: Pick<Platform, "db" | "clock" | "settings">,
  { envelopeId, actor }: EnvelopeCommand,
): Promise<Result<Envelope>> {
  const aggregate = await loadEnvelope(platform.db, envelopeId);
  if (aggregate === null) return failure(problem("not_found"));
  const viewer = viewerOf(aggregate, actor.user);
  if (!viewer.ok) return viewer;
  if (viewer.value.kind === "owner") return success(await presentToOwner(platform, aggregate, actor.user));
  return success(await presentTo(platform, aggregate, { viewer: viewer.value }));
}
