import type { Platform } from "../../../platform/platform.ts";
import { deleteTemplate } from "./delete-template.ts";
import { deleteLayouts } from "./layout-store.ts";
import { selectTemplates } from "./store.ts";

/** Erases what a closed account kept as templates and layouts. May run twice. */
export async function eraseOwnedTemplates(platform: Pick<Platform, "db" | "queue">, ownerId: string): Promise<void> {
  await deleteLayouts(platform.db, { ownerId });
  for (const { id } of await selectTemplates(platform.db, ownerId)) await deleteTemplate(platform, { id, ownerId });
}
