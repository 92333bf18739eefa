// Several timelines on one page with one clock: zero is each point's own phase start.

const groups = new Map();

/** Adds a view to a named group: windows and cursor move together, limits become common. */
export function join(name, view) {
  if (!name) return;
  const others = () => groups.get(name).filter((member) => member !== view && member.element.isConnected);
  const members = (groups.get(name) ?? []).filter((member) => member.element.isConnected);
  groups.set(name, [...members, view]);
  align(groups.get(name));
  view.onChange((what, source) => {
    if (what === "window" && source === view.port) share(others(), (other) => follow(other, view));
    if (what === "cursor") share(others(), (other) => other.setCursor(view.cursor === null ? null : other.units(view.seconds(view.cursor))));
  });
}

/** All clocks run from the earliest start to the latest end of the group. */
function align(members) {
  const min = Math.min(...members.map((m) => m.seconds(m.port.min)));
  const max = Math.max(...members.map((m) => m.seconds(m.port.max)));
  for (const member of members) {
    const home = [Math.min(...members.map((m) => m.seconds(m.home[0]))), Math.max(...members.map((m) => m.seconds(m.home[1])))];
    const whole = member.atHome;
    Object.assign(member.port, { min: member.units(min), max: member.units(max) });
    member.home = home.map(member.units);
    if (whole) member.port.show(...member.home);
  }
}

function follow(other, view) {
  other.port.show(other.units(view.seconds(view.port.t0)), other.units(view.seconds(view.port.t1)), view.port);
}

let sharing = false;

function share(others, act) {
  if (sharing) return;
  sharing = true;
  others.forEach(act);
  sharing = false;
}
