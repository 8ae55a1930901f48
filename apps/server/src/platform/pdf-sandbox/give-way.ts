import { setPriority } from "node:os";

/** Of two that want one processor, whoever is at 0 gets nine parts of ten (sched(7)). */
const PRIORITIES = { background: 10, ordinary: 0 } as const;

/** Sets the priority of a child for its next task. */
export type GiveWay = (pid: number, task: keyof typeof PRIORITIES) => void;
type Rights = { readonly mayRaise: boolean; readonly set: typeof setPriority };

/**
 * Gives what makes background tasks give way to all others. Linux lets anybody lower a priority, and few raise one again (RLIMIT_NICE, CAP_SYS_NICE):
 * where it cannot be raised, `mayRaise` says so and no child is ever lowered, since the next task in it may be somebody's who waits.
 */
export function createGiveWay({ mayRaise, set }: Rights = { mayRaise: canRaise(), set: setPriority }): GiveWay {
  const lowered = new Set<number>();
  return (pid, task) => {
    if (!mayRaise || lowered.has(pid) === (task === "background")) return;
    try {
      set(pid, PRIORITIES[task]);
    } catch {
      // It ended meanwhile: its task says so.
    }
    if (task === "background") lowered.add(pid);
    else lowered.delete(pid);
  };
}

/** Root may; anybody else is told so by the kernel when it is tried, and a process would stay low: not tried. */
function canRaise(): boolean {
  return process.getuid?.() === 0;
}
