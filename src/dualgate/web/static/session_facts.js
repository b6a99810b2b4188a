/** Parts of a session that list facts: criteria, catches and the breaker, review, and the specification. */

import { diffBlock } from "./diff.js";
import { fill, h } from "./dom.js";
import { agentName, atClock, clock, counted, when } from "./format.js";
import { commandLine } from "./commands.js";
import { list, nothing, section, table, ticked } from "./parts.js";
import { reportAddress } from "./router.js";
import { breakerWord, chip } from "./states.js";

const CRITERION_TONES = { green: "good", holds: "good", proven: "good", failing: "bad", broken: "bad", red: "warn" };
const FINDING_TONES = { closed: "good", open: "bad", advice: "info" };
const SEVERITIES = { critical: "bad", major: "bad", minor: "info" };
const CHECK_TONES = { passes: "good", broken: "bad", "failed before": "warn", frozen: "warn", "not compared": "warn", unusable: "warn" };

class Part {
  constructor(id) {
    this.id = id;
    this.node = h("div");
  }
}

const point = (seen) => (seen ? h("span", { class: "point" }, atClock(seen.at), " ", h("span", { class: "quiet" }, `${seen.phase} ${seen.iteration}`)) : h("span", { class: "quiet" }, "–"));

export class CriteriaPart extends Part {
  update({ report }) {
    const rows = (report?.criteria ?? []).map((each) => ({
      key: each.id,
      cells: [
        h("strong", each.id),
        h("div", ticked(each.text)),
        each.kind,
        chip(each.green ? "good" : (CRITERION_TONES[each.state] ?? "warn"), each.state),
        each.proof.length ? each.proof.map((proof) => h("div", h("code", proof))) : h("span", { class: "quiet" }, "nothing yet"),
        point(each.red),
        point(each.green),
        sensitivity(each.sensitivity),
      ],
    }));
    const heads = ["Id", "Criterion", "Kind", "State", "Proven by", "Red", "Green", "Sensitivity"];
    const shown = rows.length ? table("Criteria", heads, rows, "criteria") : nothing("The specification has no criteria.");
    fill(this.node, section("Criteria", shown), section("Probes", probes(report?.probes)), section("Tasks", tasks(report?.tasks)));
  }
}

function sensitivity(seen) {
  if (!seen) return h("span", { class: "quiet" }, "–");
  const words = seen.reason ? seen.reason : `${seen.killed} killed, ${seen.surviving.length} surviving`;
  return h("span", chip({ proven: "good", weak: "bad" }[seen.standing] ?? "warn", seen.standing), " ", h("span", { class: "quiet" }, ticked(words)));
}

function probes(found) {
  if (!found) return null;
  const text = `dualgate broke the changed code on purpose: ${counted(found.killed, "probe", "probes")} killed, ${found.surviving.length} surviving. A surviving probe is a change that no test noticed.`;
  return [h("p", text), list(found.surviving.map(ticked)), list(found.problems.map(ticked))];
}

function tasks(plan) {
  if (!plan) return null;
  const done = (plan.done ?? []).map((text) => h("li", { class: "done" }, ticked(text)));
  const open = [...(plan.open ?? []), ...(plan.unmarked ?? [])].map((text) => h("li", ticked(text)));
  return h("ul", { class: "tasks" }, done, open);
}

export class CaughtPart extends Part {
  update({ report, breaker_history: changes, status }) {
    const catches = (report?.catches ?? []).map(caught);
    const none = "Nothing: dualgate found no false claim, no violation and no test run that it could not trust.";
    const breaker = status?.breaker;
    const counters = breaker ? h("p", "Breaker: ", breakerWord(breaker.state), `. No progress: ${breaker.no_progress} of ${breaker.no_progress_limit}. Same error: ${breaker.same_error} of ${breaker.same_error_limit}.`) : null;
    const rows = (changes ?? []).map((each, index) => ({
      key: String(index),
      cells: [atClock(each.at), `${each.phase} ${each.iteration}`, [breakerWord(each.before), " → ", breakerWord(each.after)], ticked(each.reason)],
    }));
    const history = rows.length ? table("Breaker history", ["Time", "At", "Change", "Reason"], rows) : nothing("The breaker never changed its state.");
    fill(this.node, section("What was caught", catches.length ? h("ol", { class: "story" }, catches) : nothing(none)), section("Breaker", counters, history));
  }
}

function caught(each, index) {
  const rows = [
    ["Said", each.said ? h("q", each.said) : null],
    ["Found", each.found.length ? each.found.map((text) => h("p", ticked(text))) : null],
    ["Then", each.followed ? ticked(each.followed) : null],
    ["Passed", each.passed ? point(each.passed) : null],
  ].filter(([, content]) => content);
  const violations = each.violations.filter((one) => one.diff).map((one) => h("details", { class: "file", open: true }, h("summary", h("code", one.path), one.reverted ? " reverted" : " not reverted"), diffBlock(one.diff)));
  return h(
    "li",
    { "data-key": String(index) },
    h("h3", each.title, each.times > 1 ? h("span", { class: "quiet" }, ` (${each.times} times)`) : null),
    h("p", { class: "quiet" }, point(each.point)),
    h("dl", { class: "said" }, rows.map(([name, content]) => h("div", h("dt", name), h("dd", content)))),
    violations,
  );
}

export class ReviewPart extends Part {
  update({ report, status }) {
    const reviewer = report?.reviewer ? `Reviewed by ${agentName(report.reviewer)}.` : "No other agent reviewed the work.";
    fill(
      this.node,
      section("Review", h("p", reviewer), report?.review_note ? h("p", ticked(report.review_note)) : null),
      section("Findings and fixes", findings(status?.findings ?? [])),
      section("Amendments", amendments(report?.amendments ?? [])),
      section("Checks", checks(report?.checks ?? [])),
      section("Documents", documents(report)),
    );
  }
}

function findings(found) {
  if (!found.length) return nothing("No review had a finding.");
  const rows = found.map((each) => ({
    key: `${each.id} ${each.review}`,
    cells: [
      h("strong", each.id),
      chip(FINDING_TONES[each.state] ?? "warn", each.state),
      chip(SEVERITIES[each.severity] ?? "warn", each.severity),
      h("span", h("code", each.file), " ", each.location),
      [h("div", ticked(each.description)), each.proposed_fix ? h("div", { class: "quiet" }, "Fix: ", ticked(each.proposed_fix)) : null],
      [when(each.raised_at), each.closed_at ? [", closed ", when(each.closed_at)] : null],
    ],
  }));
  return table("Findings", ["Id", "State", "Severity", "Place", "Finding", "Raised"], rows);
}

function amendments(found) {
  if (!found.length) return nothing("No agent asked to change a frozen test.");
  return found.map((each, index) =>
    h(
      "div",
      { class: "box", "data-key": String(index) },
      h("p", chip({ accepted: "good", refused: "bad" }[each.outcome] ?? "warn", each.outcome), " ", h("code", each.request.test_id)),
      h("p", ticked(each.request.reason)),
      list((each.reasons ?? []).map(ticked)),
      each.approved_by ? h("p", { class: "quiet" }, `Approved by ${agentName(each.approved_by)}.`) : null,
      each.request.diff ? diffBlock(each.request.diff) : null,
    ),
  );
}

function checks(found) {
  if (!found.length) return nothing("No check is configured.");
  const rows = found.map((each) => ({
    key: each.name,
    cells: [h("strong", each.name), chip(CHECK_TONES[each.state] ?? "warn", each.state), h("code", each.command), [each.reason, each.output ? h("pre", each.output) : null]],
  }));
  return table("Checks", ["Check", "State", "Command", "Reason"], rows);
}

function documents(report) {
  const counting = report?.documents?.counting ?? [];
  if (!counting.length && !report?.documents_needed) return null;
  return [h("p", `${counting.length} of ${report.documents_needed} needed`), list(counting.map((path) => h("code", path)))];
}

export class SpecificationPart extends Part {
  update({ row, specification, report }) {
    const about = report ? h("p", { class: "quiet" }, `${report.spec_file ?? ""}, session started ${clock(report.started)}`) : null;
    const link = row.problem ? null : h("p", h("a", { href: reportAddress(row.id), "data-page": "report", target: "_blank", rel: "noopener" }, "Open the report of this session ↗"));
    fill(this.node, section("Specification", about, h("pre", { class: "specification", tabindex: "0" }, specification || "(not kept)")), section("Report", link), section("Verify again", verifying(report)));
  }
}

const verifying = (report) => (report?.commands ?? []).map((each) => commandLine(each.command, each.shows));
