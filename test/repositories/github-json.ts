/** What GitHub's REST API says about a repository and a commit object: its own fields, as far as they are used here. */
import type { Repository } from "./github-stand-in.ts"

export function repositoryJson({ id, owner, name, visibility }: Repository, api: string) {
  const fullName = `${owner}/${name}`
  const url = `${api}/repos/${fullName}`
  return {
    id,
    node_id: "MDEwOlJlcG9zaXRvcnkxMjk2MjY5",
    name,
    full_name: fullName,
    // An internal repository is one that is private to an enterprise.
    private: visibility !== "public",
    owner: {
      login: owner,
      id: 583231,
      node_id: "MDQ6VXNlcjU4MzIzMQ==",
      url: `${api}/users/${owner}`,
      type: "Organization",
      site_admin: false,
    },
    html_url: `https://github.com/${fullName}`,
    description: "This your first repo!",
    fork: false,
    url,
    commits_url: `${url}/commits{/sha}`,
    git_commits_url: `${url}/git/commits{/sha}`,
    created_at: "2011-01-26T19:01:12Z",
    updated_at: "2026-11-01T10:00:00Z",
    pushed_at: "2026-11-01T10:00:00Z",
    git_url: `git://github.com/${fullName}.git`,
    clone_url: `https://github.com/${fullName}.git`,
    size: 1,
    language: null,
    archived: false,
    disabled: false,
    license: null,
    allow_forking: true,
    is_template: false,
    topics: [],
    visibility,
    default_branch: "main",
    ...(visibility === "public"
      ? {}
      : { permissions: { admin: false, maintain: false, push: false, triage: false, pull: true } }),
    network_count: 0,
    subscribers_count: 0,
  }
}

export function commitJson({ owner, name }: Repository, sha: string, api: string) {
  const url = `${api}/repos/${owner}/${name}/git`
  const page = `https://github.com/${owner}/${name}`
  const person = { name: "Monalisa Octocat", email: "octocat@github.com", date: "2026-10-31T23:59:50Z" }
  const tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
  return {
    sha,
    node_id: "C_kwDOABPHjdoAKDdmZDFhNjBiMDFmOTFiMzE0",
    url: `${url}/commits/${sha}`,
    html_url: `${page}/commit/${sha}`,
    author: person,
    committer: person,
    tree: { sha: tree, url: `${url}/trees/${tree}` },
    message: "Measure twice",
    parents: [],
    verification: { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null },
  }
}
