package io.sluice.it.lab.plugs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * What a verification saw.
 *
 * @param acknowledged outputs that must be there
 * @param found those of them that are there, every byte as written
 * @param inFlightFound outputs of an interrupted commit or free that are there, every byte
 * @param inFlightAbsent outputs of an interrupted commit or free that are not there
 * @param lostBytes of the capacity that neither lie in a visible output nor can be leased
 * @param problems one sentence for everything that must not be
 */
record Verdict(
    int acknowledged,
    int found,
    int inFlightFound,
    int inFlightAbsent,
    long lostBytes,
    List<String> problems) {

  boolean passed() {
    return problems.isEmpty();
  }

  /** This one, with the losses and problems that another look at the same store found. */
  Verdict and(Verdict later) {
    List<String> all = Stream.concat(problems.stream(), later.problems.stream()).toList();
    return new Verdict(
        acknowledged, found, inFlightFound, inFlightAbsent, lostBytes + later.lostBytes, all);
  }

  String toText() {
    return "%d acknowledged, %d found, %s in flight, %d bytes lost"
        .formatted(acknowledged, found, inFlight(), lostBytes);
  }

  private String inFlight() {
    if (inFlightFound + inFlightAbsent == 0) {
      return "none";
    }
    String whole = inFlightFound > 0 ? inFlightFound + " whole" : "";
    String absent = inFlightAbsent > 0 ? inFlightAbsent + " absent" : "";
    return whole + (whole.isEmpty() || absent.isEmpty() ? "" : " and ") + absent;
  }

  void write(Path file) {
    Properties properties = new Properties();
    properties.setProperty("acknowledged", Integer.toString(acknowledged));
    properties.setProperty("found", Integer.toString(found));
    properties.setProperty("inFlightFound", Integer.toString(inFlightFound));
    properties.setProperty("inFlightAbsent", Integer.toString(inFlightAbsent));
    properties.setProperty("lostBytes", Long.toString(lostBytes));
    properties.setProperty("problems", String.join("\n", problems));
    try (var out = Files.newOutputStream(file)) {
      properties.store(out, null);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  static Verdict read(Path file) {
    Properties properties = new Properties();
    try (var in = Files.newInputStream(file)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
    return new Verdict(
        Integer.parseInt(properties.getProperty("acknowledged")),
        Integer.parseInt(properties.getProperty("found")),
        Integer.parseInt(properties.getProperty("inFlightFound")),
        Integer.parseInt(properties.getProperty("inFlightAbsent")),
        Long.parseLong(properties.getProperty("lostBytes")),
        properties.getProperty("problems").lines().toList());
  }
}
