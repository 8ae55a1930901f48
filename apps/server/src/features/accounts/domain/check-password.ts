import { MAX_PASSWORD_LENGTH, passwordLength } from "@paraphe/contracts";
import { textKey } from "./names.ts";

/**
 * Digits, keyboard walks (QWERTY, AZERTY), first names, football, tender words: attackers of a
 * French service try them first. Lower case, 5 characters or more. Checked offline (OWASP ASVS 5.0
 * 6.2.4).
 */
const COMMON = new Set(
  `
00000 000000 007007 007bond 010101 012345 0123456 01234567 0123456789 020202 101010 101112 102030 11111 111111 1111111 11111111
112233 112358 121212 123123 123321 12345 123456 1234567 12345678 123456789 1234567890 123456789a 123456a 12345a 12345q 1234qwer
123654 123abc 123qwe 123qweasd 131313 13579 135790 141414 147258 147258369 151515 159357 159753 161616 171717 181818 191919 1a2b3c
1a2b3c4d 1q2w3e 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 202020 212121 22222 222222 232323 242424 24680 246810 252525 258456 271828 314159
321654 333333 420420 444444 456123 456789 54321 55555 555555 654321 654987 666666 666999 696969 741852 741852963 753951 7654321
777777 789456 789456123 852456 87654321 888888 951753 963852741 98765 987654 987654321 99999 999999 a123456 a1b2c3 a1b2c3d4 aaa111
aaaaa aaaaaa aaaaaaaa abc123 abc12345 abcd1234 abcde abcdef abcdefg abcdefgh access admin admin1 admin123 admin1234 administrateur
administrator adrien adrien1 alexandre alexandre1 alexis alexis1 allez allezlom amanda amandine amigo amore amour amour1 ananas
andrew angel angel1 angelo angels anthony anthony1 antoine aout1 apple apple1 arsenal arthur asd123 asdf1234 asdfg asdfgh
asdfghjkl ashley asshole audrey aurelie aurelie1 automne autumn avocat avril aze123 azert azerty azerty1 azerty12 azerty123
azerty1234 azerty12345 azerty123456 azerty2024 azerty2025 azerty2026 azertyuiop baby1 babygirl baguette banana banane barcelona
barcelone baseball baseball1 basketball bastien batman batman1 bebe1 bebe123 benjamin benjamin1 benzema bienvenu bienvenue
bienvenue1 bisou bisous bitch1 blank bleach bmw123 bonbon bonjour bonjour1 bonjour123 bordeaux boubou bouchon boulot bouygues
bretagne bureau buster butterfly cabinet camille camille1 caramel caroline catherine cedric celine cerise change123 changeme
charlie charlie1 charlotte chaton cheese chef1 chelsea cheri cherie cherry chicken chloe chloe1 chocolat chocolat1 chouchou
christophe ciao123 cinema citroen claire clara clement clement1 comptable computer computer1 connard contrat contrat1 cookie
cookies corentin corona corse corsica corvette coucou coucou1 croissant damien damien1 daniel daniel1 danse dauphin david decembre
default diamant diamond dimanche direction docker document doudou doudou1 dragon dragon1 dragonball droit1 dylan elodie elodie1
emilie emma1 empty1 enfants entreprise ete2023 ete2024 ete2025 ete2026 fabien facebook facebook1 famille famille1 fatima ferrari
fevrier florian florian1 flower football football1 football10 fortnite fraise france france1 france2024 france98 free123 freedom
frere frodo fromage fuckoff fuckyou fuckyou1 gabriel gandalf george ginger github gitlab gmail goku123 golden google google1
griezmann guest guest1 guillaume guitare hallo1 hallo123 handball harley heaven heaven1 hello hello1 hello123 hellohello hiver
hobbit hockey hola123 homer honda hotmail hugo1 hunter hunter1 hunter2 ilovey iloveyou iloveyou1 instagram internet invite iphone
isabelle itachi jacques janvier jenkins jennifer jeremy jerome jessica jessica1 jet'aime jetaime jetaime1 jeudi jordan jordan1
jordan23 joshua jtaime jtaime1 jtm123 judo1 juillet julie julie1 julien julien1 justine justine1 juventus karate karim kawasaki
kebab kevin kevin1 killer kubernetes laetitia lapin lapinou laura laura1 laurent lea123 letmein letmein1 licorne linux liverpool
login login1 louis loulou loulou1 love1 love12 love123 lovelove lovely loveme lovers loveyou lucas lucas1 luffy lundi lyon69
maggie maison maison1 maman maman1 mamanpapa mamie1 mamour manon manon1 mardi margaux marine marine1 mario marion marion1 marmotte
mars1 marseille marseille1 marseille13 master master1 mathieu mathilde matrix matthew matthieu maxime maxime1 mbappe mbappe7
mdp123 mdp1234 melanie melanie1 mercedes mercredi merde merde1 merlin merlin1 messi messi10 michael michael1 michel michel1
michelle microsoft milan minecraft minou mohamed mohammed monamour moncoeur monkey monkey1 montagne morgane motdepasse motdepasse1
motdepasse123 musique mustang mysql nantes nantes44 naruto naruto1 nathalie network neymar nicolas nicolas1 nicole nique1
niquetamere noel1 noel2024 noel2025 none1 nopass nopassword notaire nounours novembre nutella oceane oceane1 octobre olivier
olympique onepiece oracle orange orange1 orange123 ordinateur p@ssw0rd p@ssword papa1 papa123 papillon papy1 paris paris1
paris2024 paris75 parisien pass1234 passe passpass passw0rd password password1 password12 password123 password2024 password2025
password2026 passwort pastis patrick patron pauline peanut pepper peugeot philip philippe piano pierre pikachu plage pokemon
pokemon1 porno porsche postgres poupoune princess princess1 princess123 princesse printemps psg1970 psg75 pumpkin pupuce purple
pussy1 putain putain1 q1w2e3 q1w2e3r4 qazwsx qazwsxedc qsd123 qsdfgh qsdfghjklm quentin quentin1 qwe123 qweasd qweasdzxc qwer1234
qwert qwerty qwerty1 qwerty123 qwertyuiop rachid rainbow ranger raphael realmadrid renault ribery ricard robert roblox rocky
rocky1 rockyou romain ronaldo ronaldo1 ronaldo7 root1 rootroot rugby sabrina salope salut salut1 samantha samedi samsung samsung1
sandrine sangoku sarah sarah1 sasuke schatz sebastien sebastien1 secret secret1 secret123 secretaire septembre server serveur
sexsex sexy1 sexy69 sfr123 shadow shadow1 signature signature1 signer1 silver simpson snapchat soccer societe soeur soleil soleil1
soleil123 sonic sophie sophie1 spiderman spring starwars starwars1 stephane stephanie summer sunshine sunshine1 superman superman1
t'aime teamo temp123 temporaire tennis tequiero tequila test1 test123 test1234 tester testtest theo1 thomas thomas1 thomas123
tigger tigrou titi1 tomate toor1 toulouse toutou toutoune travail tristan trustno1 twitter ubuntu user1 user123 vacances valentin
valentin1 vanessa vanille vegeta vendredi vincent vincent1 virginie voyage wanadoo welcome welcome1 welcome123 whatever windows
winter wxc123 wxcvbn yamaha yellow youtube zaq12wsx zaq1zaq1 zelda zidane zidane10 zxc123 zxcvb zxcvbn zxcvbnm
`
    .trim()
    .split(/\s+/),
);

function isCommonPassword(key: string): boolean {
  return COMMON.has(key) || COMMON.has(key.replace(/[!.*?]+$/, ""));
}

type PasswordContext = {
  readonly username: string;
  readonly email: string;
  readonly minimumLength: number;
};

/**
 * Gives a French sentence, or null. Nothing is trimmed or cut.
 * Source: specification §5 (length), OWASP ASVS 5.0 6.2.4, 6.2.9 and 6.2.11 (common passwords).
 */
export function checkPassword(password: string, context: PasswordContext): string | null {
  const length = passwordLength(password);
  if (length < context.minimumLength) return `Minimum ${context.minimumLength} caractères`;
  if (length > MAX_PASSWORD_LENGTH) return `${MAX_PASSWORD_LENGTH} caractères au maximum`;
  const key = textKey(password);
  const email = textKey(context.email);
  const personal = [textKey(context.username), email, email.split("@")[0], "paraphe"];
  if (personal.includes(key))
    return "Choisissez un mot de passe différent de votre nom d’utilisateur, de votre email et de « paraphe »";
  if (isCommonPassword(key)) return "Ce mot de passe est trop courant. Choisissez-en un autre";
  return null;
}
