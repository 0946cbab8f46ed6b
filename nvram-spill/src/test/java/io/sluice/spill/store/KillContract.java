package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.writer.OutputWriter;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A process with a store and a writer is killed while it commits and frees, several times. */
abstract class KillContract extends PoolTestBase {
  private static final int KILLS = 4;
  private static final int OUTPUTS_PER_APPLICATION = 5;
  private static final int PARTITIONS = 8;

  /** Whether outputs are copied to disk, and the memory is lost now and then. */
  private boolean copying;

  private final Set<Integer> copied = new HashSet<>();

  /** The same with copies on disk: what has one survives the memory, too. */
  void killAndLoseMemoryAt(TestPlace where) throws Exception {
    copying = true;
    killAt(where);
  }

  /** What was acknowledged survives, and nothing else is wrong. */
  void killAt(TestPlace where) throws Exception {
    place = where;
    assumePlace();
    Random random = seeded("killed at " + where);
    Set<Integer> acknowledged = new HashSet<>();
    Set<Integer> mayBeFreed = new HashSet<>();
    Set<Integer> freed = new HashSet<>();
    int next = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      int lines = 5 + random.nextInt(60);
      next = runAndKill(next, lines, acknowledged, mayBeFreed, freed);
      boolean lost = copying && random.nextBoolean();
      if (lost) {
        PrivateDirectory.delete(pool());
        acknowledged.retainAll(copied);
      }
      try (SpillStore store = open(recovering())) {
        int found = 0;
        for (int number = 0; number < next; number++) {
          boolean visible = store.find(name(number)).isPresent();
          int application = number / OUTPUTS_PER_APPLICATION;
          if (visible) {
            found++;
            Outputs.check(store, name(number), content(number));
            assertFalse(freed.contains(application), number + " was freed");
          } else {
            assertTrue(
                !acknowledged.contains(number) || mayBeFreed.contains(application),
                number + " was acknowledged and is lost");
          }
        }
        assertEquals(found, store.stats().outputs(), "outputs that nobody wrote");
      }
    }
  }

  private StoreConfig recovering() {
    return configWithDisk(2).backgroundCopy(copying).recover(Set.of()).build();
  }

  private int runAndKill(
      int from, int lines, Set<Integer> acknowledged, Set<Integer> mayBeFreed, Set<Integer> freed)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1"));
    command.addAll( // to verify classes is a third of a start in the lab
        List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
    command.addAll(place.options());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Victim.class.getName()));
    command.addAll(List.of(directory.toString(), place.name(), String.valueOf(from)));
    command.add(String.valueOf(copying));
    Process process =
        new ProcessBuilder(command)
            .redirectError(new File(directory.toFile(), "victim.err"))
            .start();
    int next = from;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      int seen = 0;
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (seen == lines / 2) {
          assertThrows(IOException.class, () -> open(recovering()), "not locked");
        }
        if (seen++ == lines) {
          process.toHandle().destroyForcibly(); // leaves its output to read: it was ahead of us
        }
        String[] words = line.split(" ");
        int number = Integer.parseInt(words[1]);
        switch (words[0]) {
          case "begin" -> next = number + 1;
          case "done" -> acknowledged.add(number);
          case "copied" -> copied.add(number);
          case "freeing" -> mayBeFreed.add(number);
          case "freed" -> freed.add(number);
          default -> throw new IllegalStateException(line);
        }
      }
    } finally {
      process.destroyForcibly();
    }
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    if (next == from) {
      throw new AssertionError(
          "the victim did nothing: " + Files.readString(directory.resolve("victim.err")));
    }
    return next;
  }

  static OutputId name(int number) {
    return new OutputId("application_" + number / OUTPUTS_PER_APPLICATION, "attempt_" + number);
  }

  static Outputs.Content content(int number) {
    return Outputs.random(new Random(number), PARTITIONS, 300_000);
  }

  /** The process that is killed: commits outputs for ever, and frees old applications. */
  public static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      KillContract test = new KillContract() {};
      test.directory = Path.of(args[0]);
      test.place = TestPlace.valueOf(args[1]);
      test.copying = Boolean.parseBoolean(args[3]);
      try (SpillStore store = test.open(test.recovering())) {
        for (int number = Integer.parseInt(args[2]); ; number++) {
          OutputId id = name(number);
          System.out.println("begin " + number);
          try (Lease lease = store.openLease(id.applicationId());
              OutputWriter writer = new OutputWriter(lease, test.medium(), PARTITIONS, 128 << 10)) {
            Outputs.write(writer, content(number), new Random(number));
            writer.commit(id);
          }
          System.out.println("done " + number);
          if (test.copying) {
            CommittedOutput output = store.find(id).orElseThrow();
            store.copyToDisk(output);
            if (store.stats().copies().outputs() == 0 || number % 3 == 0) {
              store.moveToDisk(output, 100_000, () -> Long.MAX_VALUE, () -> true); // in parts
            }
            System.out.println("copied " + number);
          }
          int old = number / OUTPUTS_PER_APPLICATION - 2;
          if (old >= 0 && number % OUTPUTS_PER_APPLICATION == 0) {
            System.out.println("freeing " + old);
            store.freeApplication("application_" + old);
            System.out.println("freed " + old);
          }
        }
      }
    }
  }
}
