/** What an account keeps in storage, and its quota. */
export { foldStorage, registerStorageJobs } from "./jobs.ts";
export { readStorage } from "./read-storage.ts";
export { checkRoom, type Room, takeRoom } from "./room.ts";
