package io.sluice.bench;

import io.sluice.bench.Comparison.Variant;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The description of a bench: the name and title of its page, and the values, tables, plots and
 * notes on it. It runs the bench, too. After each step it writes all files into the directory
 * {@code NAME-unfinished} beside the last full result, since a bench of hours may end before its
 * last step. The last step replaces that result, and removes the directory.
 *
 * <p>Tables, plots and notes are computed from all that was measured so far. {@link Comparison} and
 * {@link Scale} keep what was measured.
 *
 * <p>Not thread-safe. It owns nothing: the class that describes a bench opens and closes its
 * clusters and files. A failed step ends the bench with its exception. The last full result stays
 * as it was, and the directory has the steps before the failure.
 */
public final class Bench {
  private final String name;
  private final String title;
  private final Map<String, Supplier<?>> data = new LinkedHashMap<>();
  private final Map<Supplier<String>, Supplier<TextTable>> tables = new LinkedHashMap<>();
  private final Map<String, Function<String, Optional<? extends Plot>>> plots =
      new LinkedHashMap<>();
  private Supplier<List<String>> notes = List::of;
  private int stepsDone;
  private IntSupplier rounds = () -> stepsDone;

  private Bench(String name, String title) {
    this.name = name;
    this.title = title;
  }

  /**
   * Measures one variant of one case.
   *
   * @param <C> the cases, such as workloads
   * @param <V> the variants
   * @param <R> what a variant reports
   */
  @FunctionalInterface
  public interface Measurement<C, V, R> {
    R run(C measured, V variant);
  }

  /**
   * A bench without tables yet.
   *
   * @param name of its files
   * @param title of its page, to which the number of rounds is added
   * @param values that the title has places for
   */
  public static Bench of(String name, String title, Object... values) {
    return new Bench(name, title.formatted(values));
  }

  /** Adds a value to the JSON. */
  public Bench data(String key, Object value) {
    return dataOf(key, () -> value);
  }

  /** Adds a measured value to the JSON. */
  public Bench dataOf(String key, Supplier<?> value) {
    data.put(key, value);
    return this;
  }

  /** Adds the rounds of a comparison to the JSON, and their number to the title. */
  public Bench rounds(Comparison<?, ?> comparison) {
    rounds = () -> comparison.rounds().size();
    return dataOf("rounds", comparison::rounds);
  }

  /** Adds the number of rounds that have ended to the JSON, as the title names it. */
  public Bench roundCount() {
    return dataOf("rounds", () -> rounds.getAsInt());
  }

  /** Says how many rounds the title names, where a step is not a round. */
  public Bench rounds(int count) {
    rounds = () -> count;
    return this;
  }

  /** Adds a table of figures below a heading. */
  public <R> Bench table(String heading, Comparison<?, R> comparison, List<Figure<R>> figures) {
    return table(heading, () -> comparison.table(figures));
  }

  /** Adds a table below a heading, which may be empty. */
  public Bench table(String heading, Supplier<TextTable> table) {
    return table(() -> heading, table);
  }

  /** Adds a table whose heading has measured values. */
  public Bench table(Supplier<String> heading, Supplier<TextTable> table) {
    tables.put(heading, table);
    return this;
  }

  /**
   * Adds a plot.
   *
   * @param suffix what its file's name has behind the bench's
   * @param plot makes it with the page's title as its own
   */
  public Bench plot(String suffix, Function<String, Plot> plot) {
    return maybePlot(suffix, title -> Optional.of(plot.apply(title)));
  }

  /** Adds bars of figures, a series for each ratio; left out if none was measured. */
  public <V extends Enum<V> & Variant, R> Bench bars(
      String suffix, Comparison<V, R> comparison, String unit, List<Figure<R>> figures) {
    return maybePlot(suffix, title -> comparison.plot(title, unit, figures));
  }

  /** Adds bars of figures in per cent of the base's, a series for each variant. */
  public <V extends Enum<V> & Variant, R> Bench bars(
      String suffix, Comparison<V, R> comparison, V base, String unit, List<Figure<R>> figures) {
    return plot(
        suffix, title -> comparison.against(base, comparison.variants(), title, unit, figures));
  }

  /** Adds bars of figures that are shares themselves, a series for each variant. */
  public <V extends Enum<V> & Variant, R> Bench shares(
      String suffix, Comparison<V, R> comparison, String unit, List<Figure<R>> figures) {
    return plot(suffix, title -> comparison.shares(title, unit, figures));
  }

  /** Adds a plot that is left out if nothing was measured for it. */
  public Bench maybePlot(String suffix, Function<String, Optional<? extends Plot>> plot) {
    plots.put(suffix, plot);
    return this;
  }

  /** Sets the paragraphs below the tables. */
  public Bench notes(String... notes) {
    return notes(() -> List.of(notes));
  }

  /** Sets the paragraphs below the tables, which have measured values. */
  public Bench notes(Supplier<List<String>> notes) {
    this.notes = notes;
    return this;
  }

  /** The page of all that was measured so far. */
  public ResultPage page() {
    String shown = title + ", rounds: " + rounds.getAsInt();
    Map<String, Object> values = new LinkedHashMap<>();
    data.forEach((key, value) -> values.put(key, value.get()));
    Map<String, TextTable> texts = new LinkedHashMap<>();
    tables.forEach((heading, table) -> texts.put(heading.get(), table.get()));
    Map<String, Plot> drawn = new LinkedHashMap<>();
    plots.forEach(
        (suffix, plot) -> plot.apply(shown).ifPresent(present -> drawn.put(suffix, present)));
    return new ResultPage(name, shown, Machine.here(), values, texts, notes.get(), drawn);
  }

  /** Runs so many rounds of a comparison, counted from 1, and shows the page. */
  public <V extends Enum<V> & Variant, R> void run(
      int rounds,
      Comparison<V, R> comparison,
      IntFunction<Map<V, R>> round,
      Console console,
      ResultFiles files) {
    run(rounds, number -> comparison.add(round.apply(number)), console, files);
  }

  /** Runs so many rounds, counted from 1, and shows the page. */
  public void run(int rounds, IntConsumer round, Console console, ResultFiles files) {
    run(
        Stream.iterate(1, number -> number <= rounds, number -> number + 1)
            .map(number -> () -> round.accept(number)),
        console,
        files);
  }

  /** Runs steps one after the other, and shows the page. */
  public void run(Stream<Runnable> steps, Console console, ResultFiles files) {
    steps.forEach(
        step -> {
          step.run();
          stepsDone++;
          save(files);
        });
    show(console, files);
  }

  /** Writes what was measured so far, beside the last full result. */
  public void save(ResultFiles files) {
    page().write(unfinished(files));
  }

  private ResultFiles unfinished(ResultFiles files) {
    return new ResultFiles(files.directory().resolve(name + "-unfinished"));
  }

  /** Says what was measured, writes all files as the full result, and says where they are. */
  public void show(Console console, ResultFiles files) {
    ResultPage page = page();
    console.say("\n" + page.toText());
    page.write(files).forEach(console::say);
    Workspace.delete(unfinished(files).directory());
  }

  /** Measures all variants in turn. */
  public static <V extends Enum<V>, R> Map<V, R> inTurn(
      Collection<V> variants, Function<V, R> measurement) {
    Map<V, R> round = new LinkedHashMap<>();
    variants.forEach(variant -> round.put(variant, measurement.apply(variant)));
    return new EnumMap<>(round);
  }

  /** Measures all variants in turn, for one case after the other. */
  public static <C, V extends Enum<V>, R> Map<V, Map<C, R>> inTurn(
      Collection<C> cases, Collection<V> variants, Measurement<C, V, R> measurement) {
    Map<V, Map<C, R>> round = new LinkedHashMap<>();
    for (C measured : cases) {
      for (V variant : variants) {
        round
            .computeIfAbsent(variant, key -> new LinkedHashMap<>())
            .put(measured, measurement.run(measured, variant));
      }
    }
    return new EnumMap<>(round);
  }

  /**
   * The same, and requires that all variants of a case have the same output.
   *
   * @param caseTitle names a case where outputs differ
   * @param output digests the output of a variant, and may delete it
   */
  public static <C, V extends Enum<V> & Variant, R> Map<V, Map<C, R>> inTurn(
      Collection<C> cases,
      Collection<V> variants,
      Measurement<C, V, R> measurement,
      Function<C, String> caseTitle,
      BiFunction<C, V, ?> output) {
    Map<C, SameOutput<Object>> outputs = new LinkedHashMap<>();
    return inTurn(
        cases,
        variants,
        (measured, variant) -> {
          R result = measurement.run(measured, variant);
          outputs
              .computeIfAbsent(measured, key -> new SameOutput<>(caseTitle.apply(key)))
              .add(variant.title(), output.apply(measured, variant));
          return result;
        });
  }

  /**
   * The output of a program, which must be the same in all variants.
   *
   * <p>Not thread-safe.
   *
   * @param <T> a digest, by whose {@code equals} outputs are compared
   */
  public static final class SameOutput<T> {
    private final String program;
    private T expected; // null: nobody has run it

    /** No output of the program is known yet. */
    public SameOutput(String program) {
      this.program = program;
    }

    /**
     * Takes one more.
     *
     * @throws ClusterException if it differs from those before
     */
    public void add(String runner, T found) {
      if (expected != null && !found.equals(expected)) {
        throw new ClusterException(
            "%s: %s put out %s, others %s".formatted(program, runner, found, expected));
      }
      expected = found;
    }

    /** The output of all runs so far. */
    public T get() {
      return expected;
    }
  }
}
