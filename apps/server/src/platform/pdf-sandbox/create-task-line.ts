import { sandboxWaitSeconds } from "../metrics/counts.ts";
import { SandboxBusyError, type SandboxCaller } from "./pdf-sandbox.ts";

/** Where tasks wait for a place. `enter` resolves with what gives the place back. */
export type TaskLine = { enter(caller: SandboxCaller | null): Promise<() => void> };

export type TaskLineSize = {
  readonly places: number;
  /** Of these places, as many are kept from patient callers; one is always theirs. */
  readonly kept: number;
  /** Of these places, as many as background tasks may take at once. */
  readonly background: number;
  /** Patient tasks that may wait, in all and for one caller. */
  readonly longest: number;
  readonly longestOfOne: number;
};

type Waiter = { readonly caller: SandboxCaller | null; readonly begin: () => void };

/**
 * Gives the order in which tasks run: our own first, then urgent callers', then patient ones'. One task at a time for a caller;
 * among patient callers the one served longest ago is next, so that nobody's many files stand before somebody's one. Background tasks take no more
 * places than are theirs, so that whoever asks for anything else finds a processor.
 */
export function createTaskLine(size: TaskLineSize): TaskLine {
  const patientPlaces = Math.max(1, size.places - size.kept);
  const waiting: Waiter[] = [];
  const busy = new Set<string>();
  const servedAt = new Map<string, number>();
  let taken = 0;
  let takenByPatient = 0;
  let takenInBackground = 0;
  let turn = 0;

  const mayRun = ({ caller }: Waiter) =>
    caller === null ||
    (!busy.has(caller.key) &&
      (caller.haste === "urgent" || takenByPatient < patientPlaces) &&
      (caller.background !== true || takenInBackground < size.background));
  const before = (a: Waiter, b: Waiter) =>
    rank(a) - rank(b) || (a.caller?.haste === "patient" ? lastTurn(a) - lastTurn(b) : 0) || waiting.indexOf(a) - waiting.indexOf(b);
  const lastTurn = ({ caller }: Waiter) => servedAt.get(caller?.key ?? "") ?? 0;

  const serve = () => {
    while (taken < size.places) {
      const next = waiting.filter(mayRun).sort(before)[0];
      if (next === undefined) return;
      waiting.splice(waiting.indexOf(next), 1);
      start(next);
    }
  };
  const start = ({ caller, begin }: Waiter) => {
    taken += 1;
    if (caller?.haste === "patient") takenByPatient += 1;
    if (caller?.background) takenInBackground += 1;
    if (caller !== null) {
      busy.add(caller.key);
      servedAt.set(caller.key, ++turn);
    }
    begin();
  };
  const leave = (caller: SandboxCaller | null) => {
    taken -= 1;
    if (caller?.haste === "patient") takenByPatient -= 1;
    if (caller?.background) takenInBackground -= 1;
    if (caller !== null) {
      busy.delete(caller.key);
      if (!waiting.some((other) => other.caller?.key === caller.key)) servedAt.delete(caller.key);
    }
    serve();
  };
  const isFullFor = (caller: SandboxCaller | null) => {
    if (caller?.haste !== "patient") return false;
    const patient = waiting.filter((other) => other.caller?.haste === "patient");
    return patient.length >= size.longest || patient.filter((other) => other.caller?.key === caller.key).length >= size.longestOfOne;
  };

  return { enter: (caller) => (isFullFor(caller) ? Promise.reject(new SandboxBusyError()) : wait({ waiting, serve, leave, caller })) };
}

type Wait = {
  readonly waiting: Waiter[];
  readonly serve: () => void;
  readonly leave: (caller: SandboxCaller | null) => void;
  readonly caller: SandboxCaller | null;
};

/** Resolves at the caller's turn; gives up the place in the line when nobody waits for the answer any more. */
function wait({ waiting, serve, leave, caller }: Wait): Promise<() => void> {
  const signal = caller?.signal;
  if (signal?.aborted) return Promise.reject(new SandboxBusyError());
  const stopWatch = sandboxWaitSeconds.startTimer();
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      caller,
      begin: () => {
        signal?.removeEventListener("abort", giveUp);
        stopWatch();
        resolve(() => leave(caller));
      },
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(waiter), 1);
      reject(new SandboxBusyError());
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    waiting.push(waiter);
    serve();
  });
}

function rank({ caller }: Waiter): number {
  return caller === null ? 0 : caller.haste === "urgent" ? 1 : 2;
}
