/** Groups of documents that one process signs at the same time. While one is written, the other goes on. */
export const LANES = 2;
/** Documents that one transaction writes at most: what it costs is shared by them. */
export const GROUP = 5;
/** Of a group, so many are made at the same time: while one is in the sandbox, the server works for another. */
export const SEATS = 2;
