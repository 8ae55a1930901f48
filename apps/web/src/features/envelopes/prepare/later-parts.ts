import { lazyPart, lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";

/** In a chunk of its own: few drafts need it. */
const load = () => import("./draft/conflict-banner.tsx");
export const LaterAlreadySent = lazyStep(
  async () => (await load()).AlreadySent,
  "Ouverture de l’enveloppe",
);
export const LaterConflictBanner = lazyPart(async () => (await load()).ConflictBanner, null);
