import { fileURLToPath } from "node:url";

export const CLIENT_FOLDER = fileURLToPath(new URL("../../../../web/dist", import.meta.url));
