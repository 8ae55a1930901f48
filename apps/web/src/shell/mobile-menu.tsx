import type { User } from "@paraphe/contracts";
import { Avatar } from "../ui/avatar/avatar.tsx";
import { Drawer } from "../ui/drawer/drawer.tsx";
import { MenuLinks } from "./menu-links.tsx";

type Props = { readonly user: User; readonly onLogOut: () => void; readonly onClose: () => void };

export function MobileMenu({ user, onLogOut, onClose }: Props) {
  const name = `${user.first_name} ${user.last_name}`.trim() || user.username;
  return (
    <Drawer
      label="Menu"
      side="right"
      closeLabel="Fermer le menu"
      onClose={onClose}
      heading={
        <span className="row row--nw">
          <Avatar name={name} image={user.avatar} />
          <b className="truncate">{name}</b>
        </span>
      }
    >
      <MenuLinks onLogOut={onLogOut} onFollow={onClose} />
    </Drawer>
  );
}
