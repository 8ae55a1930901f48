export { ofName } from "@paraphe/contracts";
