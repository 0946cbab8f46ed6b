package io.sluice.it.lab.plugs;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A file that outlives the guest, with what was intended, acknowledged and found. One line each:
 *
 * <pre>
 * begin NUMBER APPLICATION SEED PARTITIONS SIZE    before anything of an output is written
 * acked NUMBER                                     after its commit returned
 * found NUMBER | absent NUMBER                     what came of one in flight, after a kill
 * freeing APPLICATION                              before a free
 * freed APPLICATION                                after it returned
 * </pre>
 *
 * <p>A line without its end was cut by a kill and is dropped: nobody went on because of it.
 *
 * <p>Thread contract: one thread. Ownership: the creator closes it. Failure: {@link
 * UncheckedIOException} of the file; nothing was acknowledged then.
 */
final class PlugLedger implements Closeable {
  /** Whether a store must hold an output. */
  enum Expectation {
    PRESENT,
    ABSENT,
    /** It was in flight; once a verification has seen it, it is no longer. */
    EITHER
  }

  private final FileChannel file;
  private final Map<Integer, SeededOutput> outputs = new TreeMap<>();
  private final Map<Integer, Expectation> expected = new TreeMap<>();
  private final Set<String> freeing = new LinkedHashSet<>();
  private final Set<String> freed = new LinkedHashSet<>();

  private PlugLedger(FileChannel file) {
    this.file = file;
  }

  /** Opens or creates the file. */
  static PlugLedger open(Path path) {
    try {
      FileChannel file =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      PlugLedger ledger = new PlugLedger(file);
      ledger.readAll();
      return ledger;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open the ledger " + path, e);
    }
  }

  /** All outputs ever begun. */
  Collection<SeededOutput> outputs() {
    return Collections.unmodifiableCollection(outputs.values());
  }

  int nextNumber() {
    return outputs.size();
  }

  Expectation expectation(SeededOutput output) {
    Expectation of = expected.get(output.number());
    if (freed.contains(output.application())) {
      return Expectation.ABSENT;
    }
    return of == Expectation.PRESENT && freeing.contains(output.application())
        ? Expectation.EITHER
        : of;
  }

  /** Applications with outputs that are expected, and are not being freed, oldest first. */
  List<String> liveApplications() {
    return outputs.values().stream()
        .filter(output -> expectation(output) == Expectation.PRESENT)
        .map(SeededOutput::application)
        .distinct()
        .toList();
  }

  /** Applications whose free was begun and not acknowledged. */
  List<String> applicationsInFree() {
    return freeing.stream().filter(application -> !freed.contains(application)).toList();
  }

  void begin(SeededOutput output) {
    record("begin " + output.toLine());
  }

  void acknowledge(SeededOutput output) {
    record("acked " + output.number());
  }

  /** Settles what came of an output in flight. */
  void settle(SeededOutput output, boolean found) {
    record((found ? "found " : "absent ") + output.number());
  }

  void freeing(String application) {
    record("freeing " + application);
  }

  void freed(String application) {
    record("freed " + application);
  }

  private void record(String line) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
      file.force(true);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to the ledger: " + line, e);
    }
    apply(line);
  }

  private void readAll() throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
    while (bytes.hasRemaining() && file.read(bytes) >= 0) {}
    String text = new String(bytes.array(), StandardCharsets.US_ASCII);
    int endBytes = text.lastIndexOf('\n') + 1;
    file.truncate(endBytes);
    file.position(endBytes);
    text.substring(0, endBytes).lines().forEach(this::apply);
  }

  private void apply(String line) {
    String[] words = line.split(" ");
    switch (words[0]) {
      case "begin" -> {
        SeededOutput output = SeededOutput.of(words, 1);
        outputs.put(output.number(), output);
        expected.put(output.number(), Expectation.EITHER);
      }
      case "acked", "found" -> expected.put(Integer.parseInt(words[1]), Expectation.PRESENT);
      case "absent" -> expected.put(Integer.parseInt(words[1]), Expectation.ABSENT);
      case "freeing" -> freeing.add(words[1]);
      case "freed" -> freed.add(words[1]);
      default -> throw new IllegalStateException("not a line of a ledger: " + line);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot close the ledger", e);
    }
  }
}
