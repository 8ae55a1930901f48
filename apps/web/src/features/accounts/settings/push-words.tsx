import { LinkAction } from "../../../ui/link/link-action.tsx";
import type { usePush } from "./use-push.ts";

type Props = {
  readonly push: ReturnType<typeof usePush>;
  /** « Push » is among the channels that are kept: another browser may receive. */
  readonly chosen: boolean;
};

/** Where this browser stands with notifications, in words, and what can be done about it. */
export function PushWords({ push, chosen }: Props) {
  const { state, failure, busy, enable, disable } = push;
  return (
    <>
      <p>{WORDS[state ?? "off"](chosen)}</p>
      {state === "denied" && <p>Autorisez-les pour ce site dans les réglages du navigateur, puis revenez ici.</p>}
      {failure !== undefined && (
        <p role="alert" style={{ color: "var(--danger)" }}>
          {failure}
        </p>
      )}
      {chosen && state === "off" && (
        <LinkAction aria-disabled={busy || undefined} onClick={() => void enable()}>
          Activer sur ce navigateur
        </LinkAction>
      )}
      {chosen && state === "on" && (
        <LinkAction aria-disabled={busy || undefined} onClick={() => void disable()}>
          Désactiver sur ce navigateur
        </LinkAction>
      )}
    </>
  );
}

const WORDS = {
  unsupported: () => "Ce navigateur ne sait pas recevoir de notifications.",
  denied: () => "Les notifications sont bloquées par votre navigateur.",
  off: (chosen: boolean) => (chosen ? "Pas sur ce navigateur" : "Sur ce navigateur"),
  on: () => "Sur ce navigateur",
} as const;
