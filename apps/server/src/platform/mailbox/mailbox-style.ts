/** The product's own colours and measures (design tokens), light and dark; its fonts where the machine has them. */
export const MAILBOX_STYLE = `
:root{color-scheme:light dark;--canvas:#f3f4f8;--surface:#fff;--sunken:#e9ebf2;--hover:#f0f2f8;--ink:#151b2e;--ink-2:#434c66;--ink-3:#5c657f;--line:#dfe3ec;--line-2:#cbd1de;--control:#8089a1;--accent:#2a3f9d;--accent-hover:#203181;--accent-soft:#e8ecfa;--on-accent:#fff;--halo:rgb(42 63 157/.28);--margin:#e08a94;--rule:#dfe3f5;--email-fg:#2a3f9d;--email-bg:#e8ecfa;--email-line:#b9c4ec;--sms-fg:#12613a;--sms-bg:#e0f3e7;--sms-line:#a6d6b8;--push-fg:#755000;--push-bg:#fff2cc;--push-line:#ecd189;--shadow:0 1px 2px rgb(21 27 46/.06);--ui:"Instrument Sans Variable","Instrument Sans",system-ui,-apple-system,"Segoe UI",sans-serif;--display:"Spectral",Georgia,"Times New Roman",serif;--gutter:clamp(1rem,3vw,2rem)}
@media(prefers-color-scheme:dark){:root{--canvas:#0e1220;--surface:#161b2c;--sunken:#0a0d18;--hover:#1e2439;--ink:#eceff8;--ink-2:#b7bfd4;--ink-3:#949db6;--line:#283048;--line-2:#374060;--control:#6b7592;--accent:#a9b8ff;--accent-hover:#c0cbff;--accent-soft:#232c4d;--on-accent:#10163a;--halo:rgb(169 184 255/.32);--margin:#8a4a55;--rule:#20273e;--email-fg:#a9b8ff;--email-bg:#232c4d;--email-line:#44518a;--sms-fg:#86d9a8;--sms-bg:#112f20;--sms-line:#24573c;--push-fg:#f2cc67;--push-bg:#37290a;--push-line:#5f4a17;--shadow:0 1px 2px rgb(0 0 0/.4)}}
*,*::before{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:0.875rem/1.5 var(--ui);-webkit-text-size-adjust:100%}
h1,h2,p,dl,dd,ol,ul{margin:0;padding:0}ol,ul{list-style:none}
a{color:var(--accent);text-underline-offset:3px}a:hover{color:var(--accent-hover)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.top{display:flex;align-items:center;gap:12px;min-height:60px;padding:0 var(--gutter);background:var(--surface);border-bottom:1px solid var(--line)}
.brand{display:inline-flex;align-items:center;gap:8px;min-height:44px;color:var(--ink);text-decoration:none;font:500 1.375rem/1 var(--display);letter-spacing:-.012em}.brand:hover{color:var(--ink)}
.mark{width:30px;height:30px;flex:none;background:var(--accent);-webkit-mask:url(/favicon.svg) center/contain no-repeat;mask:url(/favicon.svg) center/contain no-repeat}
@media(forced-colors:active){.mark{background:LinkText}}
.tag{padding:2px 9px;border:1px solid var(--line-2);border-radius:999px;color:var(--ink-2);font-size:.75rem;font-weight:600;white-space:nowrap}
main{max-width:60rem;margin:0 auto;padding:2rem var(--gutter) 4rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
h1{font:500 1.75rem/1.2 var(--display);letter-spacing:-.012em;text-wrap:balance;overflow-wrap:anywhere}h2{font:600 1.125rem/1.35 var(--ui)}
.lede{margin-top:4px;color:var(--ink-2);max-width:68ch}
.crumb{display:inline-flex;align-items:center;gap:6px;min-height:44px;color:var(--ink-2);text-decoration:none;font-weight:500}
.bar{display:flex;flex-wrap:wrap;gap:12px 24px;align-items:end;justify-content:space-between}
.kinds{display:flex;gap:4px;flex-wrap:wrap;padding:4px;border-radius:10px;background:var(--sunken)}
.kinds a{display:inline-flex;align-items:center;gap:6px;min-height:44px;padding:0 12px;border-radius:7px;color:var(--ink-2);text-decoration:none;font-weight:500}
.kinds a:hover{color:var(--ink)}.kinds a[aria-current]{background:var(--surface);color:var(--accent);font-weight:600;box-shadow:var(--shadow)}
.kinds span{font-variant-numeric:tabular-nums;font-size:.75rem;color:var(--ink-3)}
form{display:grid;grid-template-columns:minmax(0,16rem) auto;gap:6px 8px}form label{grid-column:1/-1;font-weight:600;font-size:.8125rem}
input,button{height:44px;font:inherit;border-radius:7px}input{width:100%;padding:0 12px;font-size:1rem;border:1px solid var(--control);background:var(--surface);color:var(--ink)}
button{padding:0 16px;border:1px solid var(--line-2);background:var(--surface);color:var(--ink);font-weight:600;cursor:pointer}button:hover{background:var(--hover)}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;min-width:0;overflow:hidden;box-shadow:var(--shadow)}
.count{color:var(--ink-3)}
.list li{position:relative;display:grid;grid-template-columns:8.25rem minmax(0,1fr) minmax(0,14rem) auto;gap:2px 16px;align-items:center;padding:12px 20px;border-top:1px solid var(--line)}
.list li:first-child{border-top:0}.list li:hover{background:var(--hover)}
.list a{color:var(--ink);font-weight:600;text-decoration:none;overflow-wrap:anywhere}.list a::after{content:"";position:absolute;inset:0}.list a:hover{color:var(--accent)}
.list p{color:var(--ink-3);font-size:.8125rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.to{color:var(--ink-2);overflow-wrap:anywhere}time{color:var(--ink-3);font-size:.8125rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.kind{display:inline-flex;align-items:center;gap:6px;height:24px;padding:0 9px 0 7px;border:1px solid;border-radius:999px;font-size:.75rem;font-weight:600;white-space:nowrap;justify-self:start}
.kind svg{width:13px;height:13px;flex:none}
.email{color:var(--email-fg);background:var(--email-bg);border-color:var(--email-line)}.sms{color:var(--sms-fg);background:var(--sms-bg);border-color:var(--sms-line)}.push{color:var(--push-fg);background:var(--push-bg);border-color:var(--push-line)}
.head{display:grid;gap:8px;justify-items:start}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:6px 20px;padding:16px 20px}dt{color:var(--ink-3)}dd{overflow-wrap:anywhere}
iframe{display:block;width:100%;height:40rem;border:0;background:#fff}
.text{padding:16px 20px;white-space:pre-wrap;overflow-wrap:anywhere;font:0.875rem/1.65 "IBM Plex Mono",ui-monospace,"SFMono-Regular",Menlo,monospace}
.sheet{padding:2rem 20px;background:linear-gradient(90deg,transparent 39px,var(--margin) 39px 40px,transparent 40px),repeating-linear-gradient(var(--surface) 0 31px,var(--rule) 31px 32px)}
.bubble{width:fit-content;max-width:26rem;margin-left:36px;padding:12px 16px;border-radius:14px 14px 14px 3px;background:var(--sms-bg);border:1px solid var(--sms-line);font-size:1rem;white-space:pre-wrap;overflow-wrap:anywhere}
.toast{display:grid;grid-template-columns:36px minmax(0,1fr);gap:4px 14px;max-width:26rem;margin-left:36px;padding:16px;border-radius:14px;background:var(--surface);border:1px solid var(--line-2);box-shadow:0 2px 6px rgb(21 27 46/.08),0 16px 40px rgb(21 27 46/.16)}
.toast .mark{width:36px;height:36px;grid-row:span 3}.toast b{overflow-wrap:anywhere}.toast p{color:var(--ink-2);overflow-wrap:anywhere}.toast a{display:inline-flex;align-items:center;min-height:44px;font-weight:600}
.empty{padding:3rem 20px;text-align:center;color:var(--ink-2)}.empty b{display:block;color:var(--ink);font-size:1rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:767.98px){h1{font-size:1.375rem}main{padding-top:1.25rem}.bar{display:grid;grid-template-columns:minmax(0,1fr)}form{grid-template-columns:minmax(0,1fr) auto}.kinds{display:grid;grid-template-columns:1fr 1fr}.kinds a{justify-content:center}
.list li{grid-template-columns:minmax(0,1fr) auto;padding:12px 16px}.list li>div{grid-column:1/-1;grid-row:2}.to{grid-column:1/-1}.list time{grid-column:2;grid-row:1}.list p{white-space:normal;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}
.facts{grid-template-columns:minmax(0,1fr);gap:0;padding:12px 16px}dd{margin-bottom:8px}.text,.sheet{padding:16px}.sheet{background:repeating-linear-gradient(var(--surface) 0 31px,var(--rule) 31px 32px)}.bubble,.toast{margin-left:0}iframe{height:32rem}}
`;
