/** What pages ask the server for at first, so that it can be asked before their scripts are there. */

/** What the tabs of this console go by among themselves: others of the same origin are below another path. */
export function tabsName(base: URL): string {
  return `orrery-live ${base.pathname}`;
}

/** Requests of the page at an address below the console's own, as its client will send them. */
export function firstRequests(path: string, search: string): readonly string[] {
  if (path === '/login') return [];
  const project = new URLSearchParams(search).get('project');
  const overview = project === null ? '/overview' : `/overview?project=${encodeURIComponent(project)}`;
  return ['/me', overview, ...ofPage(path, search)];
}

function ofPage(path: string, search: string): readonly string[] {
  if (path === '/' && search === '') return ['/workflows?include=strip%2Cnext&limit=8'];
  const run = /^\/runs\/([1-9]\d*)$/.exec(path);
  if (run) return [`/runs/${run[1]}`, `/runs/${run[1]}/tasks?from=0&limit=1000&include=needs`];
  const taskRun = /^\/task-runs\/([^/]+)$/.exec(path);
  return taskRun ? [`/task-runs/${taskRun[1]}/attempts?limit=1000`] : [];
}
