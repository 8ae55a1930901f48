import type { StoreFault, StorePlatform } from "../src/store/store-outcome.ts";
import { verifyStore } from "../src/store/run-verify-store.ts";

export async function findStoreFaults(platform: StorePlatform): Promise<readonly StoreFault[]> {
  return (await verifyStore(platform)).flatMap(({ faults }) => faults);
}
