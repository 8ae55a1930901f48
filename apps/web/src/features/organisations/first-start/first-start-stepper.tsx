import { Stepper } from "../../../ui/stepper/stepper.tsx";

const STEPS = ["Vous", "Organisation", "Inscription"] as const;

export function FirstStartStepper({ current }: { readonly current: number }) {
  return <Stepper steps={STEPS} current={current} />;
}
