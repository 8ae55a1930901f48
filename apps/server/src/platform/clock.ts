/** Gives the present moment. A port, so that a test may hold or move it. */
export type Clock = () => Date;

/** The machine's clock. */
export const systemClock: Clock = () => new Date();
