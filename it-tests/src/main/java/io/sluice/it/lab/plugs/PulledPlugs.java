package io.sluice.it.lab.plugs;

import io.sluice.it.lab.Guest;
import io.sluice.it.lab.GuestSpec;
import io.sluice.it.lab.Lab;
import io.sluice.it.lab.Lab.LabException;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.plugs.Boot.BootPlan;
import io.sluice.it.lab.plugs.Verifier.Verdict;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.report.TestReports;
import io.sluice.it.report.TestReports.TestOutcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Kills guests that write to a spill store on an NVDIMM, as if their plugs were pulled, and has the
 * next guest compare what it finds there with what was acknowledged.
 *
 * <p>Not thread-safe. Everything stays in its share until it runs again: the NVDIMM, the ledger,
 * verdicts and consoles. It stops at the first failure, so that the NVDIMM shows it.
 */
public final class PulledPlugs {
  /** Its suite's name on the command line. */
  public static final String ID = "plugs";

  /** A file system that commits its journal only when told to loses all that was not synced. */
  private static final String SCRIPT =
      """
      lab_persistent_memory
      mount -o remount,dax=always,commit=300 /run/lab/fsdax
      lab_java -Xmx256m %s /run/lab/fsdax/pool "$lab_share" %%s
      """
          .formatted(PlugsProgram.class.getName());

  /** Of the one guest that there is at a time. */
  public static final int MEMORY_MB = 1536;

  private static final Duration BOOT_DEADLINE = Duration.ofMinutes(10);
  private static final int LONGEST_WAIT_MS = 5_000;

  private final Lab lab;
  private final Console console;
  private final int kills;
  private final long seed;
  private final BootPlan plan;
  private final Random moments;
  private final Map<String, Integer> killsByStep = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private int verifiedKills;
  private int acknowledged;
  private int verified;
  private long lostBytes;

  /** Plans so many kills; the same seed plans the same. */
  public PulledPlugs(Lab lab, Console console, int kills, long seed) {
    if (kills < 1) {
      throw new LabException("%s needs 1 kill or more, not %d".formatted(ID, kills));
    }
    this.lab = lab;
    this.console = console;
    this.kills = kills;
    this.seed = seed;
    this.plan = new BootPlan(seed);
    this.moments = new Random(seed);
  }

  /** Runs to the last verification or the first failure. */
  public PlugsResult run() {
    long startNs = System.nanoTime();
    lab.announce("%s: %d kills of a guest that spills, seed %d".formatted(ID, kills, seed));
    Path share = lab.newShare(ID);
    List<Path> nvdimms = Lab.nvdimms(share, 1);
    try {
      String moment = "";
      for (int kill = 1; kill <= kills; kill++) {
        Boot boot = plan.next();
        moment = killAt(boot, kill - 1, moment, share, nvdimms);
        killsByStep.merge(moment, 1, Integer::sum);
      }
      verifyLast(moment, share, nvdimms);
    } catch (LabException e) {
      failures.add(
          "%s; repeat with ./sluice lab %s --kills %d --seed %d"
              .formatted(e.getMessage(), ID, kills, seed));
    }
    PlugsResult result =
        new PlugsResult(
            seed,
            kills,
            verifiedKills,
            killsByStep,
            acknowledged,
            verified,
            lostBytes,
            List.copyOf(failures),
            (System.nanoTime() - startNs) / 1_000_000);
    new ResultFiles(share).json("result", result);
    return result;
  }

  /** Boots, has the kill before verified, kills again; returns at what moment. */
  private String killAt(
      Boot boot, int formerKill, String formerMoment, Path share, List<Path> nvdimms) {
    GuestEvents events = new GuestEvents(BOOT_DEADLINE);
    try (Guest guest = boot(boot, share, nvdimms, events)) {
      if (formerKill > 0) {
        events.await(guest, PlugsProgram.VERIFIED);
        report(boot, formerKill, formerMoment, share);
      }
      if (boot.step().isPresent()) {
        String title = boot.step().get().title();
        events.await(guest, PlugsProgram.STOPPED + title);
        guest.kill();
        return "step \"%s\"".formatted(title);
      }
      events.await(guest, PlugsProgram.WRITING);
      events.pass(guest, Duration.ofMillis(moments.nextInt(LONGEST_WAIT_MS)));
      guest.kill();
      return "any moment";
    }
  }

  private void verifyLast(String formerMoment, Path share, List<Path> nvdimms) {
    Boot last = plan.last();
    GuestEvents events = new GuestEvents(BOOT_DEADLINE);
    try (Guest guest = boot(last, share, nvdimms, events)) {
      int status = guest.await();
      if (status != 0) {
        throw new LabException("the last guest ended with status " + status + ":\n" + guest.tail());
      }
    }
    report(last, kills, formerMoment, share);
  }

  private Guest boot(Boot boot, Path share, List<Path> nvdimms, GuestEvents events) {
    GuestSpec spec =
        lab.spec(ID + "-" + boot.number(), 1, MEMORY_MB, BOOT_DEADLINE).withNvdimms(nvdimms);
    String script = SCRIPT.formatted(String.join(" ", boot.toArguments()));
    return lab.boot(spec, share, script, events::line);
  }

  private void report(Boot boot, int kill, String moment, Path share) {
    Verdict verdict = Verdict.read(PlugsProgram.verdict(share, boot.number()));
    console.say("  kill %d/%d at %s: %s".formatted(kill, kills, moment, verdict.toText()));
    verifiedKills = kill;
    acknowledged += verdict.acknowledged();
    verified += verdict.found();
    lostBytes += verdict.lostBytes();
    if (!verdict.passed()) {
      throw new LabException(
          "after kill %d at %s: %s".formatted(kill, moment, String.join("; ", verdict.problems())));
    }
  }

  /**
   * The lines that {@link PlugsProgram} prints on the console of one guest.
   *
   * <p>Thread contract: lines come from the console's thread, one other waits. Failure: {@link
   * LabException} if the program failed, the guest ended, or the deadline passed, with the end of
   * the console.
   */
  static final class GuestEvents {
    private static final long LOOK_EVERY_MS = 500;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final long deadlineNs;

    GuestEvents(Duration deadline) {
      this.deadlineNs = System.nanoTime() + deadline.toNanos();
    }

    /** Takes a line of the console. */
    void line(String line) {
      int start = line.indexOf(PlugsProgram.EVENT);
      if (start >= 0) {
        events.add(line.substring(start).stripTrailing());
      }
    }

    /** Waits for an event; others before it are passed over. */
    void await(Guest guest, String wanted) {
      for (String event = ""; !event.equals(wanted); event = next(guest, deadlineNs)) {
        check(guest, event);
      }
    }

    /** Lets time pass, in which nothing may fail. */
    void pass(Guest guest, Duration duration) {
      long endNs = System.nanoTime() + duration.toNanos();
      while (System.nanoTime() < endNs) {
        check(guest, next(guest, Math.min(endNs, deadlineNs)));
      }
    }

    /** The next event, or an empty one if none comes soon. */
    private String next(Guest guest, long endNs) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
      try {
        String event =
            events.poll(Math.max(1, Math.min(leftMs, LOOK_EVERY_MS)), TimeUnit.MILLISECONDS);
        return event == null ? "" : event;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LabException("interrupted while a guest was running", e);
      }
    }

    private void check(Guest guest, String event) {
      if (event.startsWith(PlugsProgram.FAILED)) {
        throw new LabException("the writer in the guest " + event + "\n" + guest.tail());
      }
      if (event.isEmpty() && events.isEmpty() && !guest.isAlive()) {
        throw new LabException("the guest ended by itself:\n" + guest.tail());
      }
      if (System.nanoTime() > deadlineNs) {
        throw new LabException("the guest did not get there in time:\n" + guest.tail());
      }
    }
  }

  /**
   * The result of pulling plugs, as it is written beside the NVDIMM.
   *
   * @param seed of all that was drawn
   * @param plannedKills asked for
   * @param kills after each of which the pool was verified
   * @param killsByStep how many at each moment
   * @param acknowledged outputs that had to be there, summed over the verifications
   * @param verified those that were, every byte
   * @param lostBytes summed over the verifications
   * @param failures each with how to repeat it
   * @param wallMs with all boots
   */
  public record PlugsResult(
      long seed,
      int plannedKills,
      int kills,
      Map<String, Integer> killsByStep,
      int acknowledged,
      int verified,
      long lostBytes,
      List<String> failures,
      long wallMs) {
    /** For the lab: every kill is a test. */
    public LabResult toLabResult() {
      List<TestOutcome> outcomes = new ArrayList<>();
      int passed = failures.isEmpty() ? kills : kills - 1;
      for (int i = 1; i <= passed; i++) {
        outcomes.add(outcome(i, TestOutcome.State.PASSED, ""));
      }
      failures.forEach(
          failure -> outcomes.add(outcome(passed + 1, TestOutcome.State.FAILED, failure)));
      return new LabResult(
          ID,
          new TestReports(outcomes),
          Optional.empty(),
          List.of(
              "%d kills, %s; %d acknowledged outputs had to be there and %d were, byte for byte; %d bytes lost; seed %d"
                  .formatted(kills, killsByStep, acknowledged, verified, lostBytes, seed)),
          wallMs,
          failures.isEmpty() && kills == plannedKills && verified > 0);
    }

    private static TestOutcome outcome(int kill, TestOutcome.State state, String reason) {
      return TestOutcome.of("lab.plugs.kill-" + kill, state, reason);
    }
  }
}
