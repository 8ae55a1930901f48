import { lazyPart, lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";

/** What few drafts need, in files of their own: the editor does not wait for them. */
export const LaterAlreadySent = lazyStep(async () => (await import("./already-sent.tsx")).AlreadySent, "Ouverture de l’enveloppe");
export const LaterConflictBanner = lazyPart(async () => (await import("./conflict-banner.tsx")).ConflictBanner, null);
