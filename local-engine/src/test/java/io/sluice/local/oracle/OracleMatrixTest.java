package io.sluice.local.oracle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every exchange and number of threads and reduces, on inputs of every shape. */
@Tag("slow")
class OracleMatrixTest extends OracleTestBase {
  private static final int LINES = 1_500;
  private static final int MANY = 64;

  /** What an input is like. */
  enum Shape {
    SKEWED {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.files(name(), 3, LINES, 1_000);
      }
    },
    COMBINED {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.files(name(), 3, LINES, 1_000);
      }

      @Override
      Job job(Job job, int reduces) {
        return Tasks.sums(job, reduces);
      }
    },
    ALL_TO_ONE_REDUCE {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.file(name(), LINES, () -> 7);
        inputs.file(name(), LINES, () -> 7);
      }
    },
    EMPTY_PARTITIONS {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.files(name(), 2, LINES, 5);
      }
    },
    AN_EMPTY_FILE {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.file(name(), 0, () -> 0);
        inputs.files(name(), 1, LINES, 100);
        inputs.file(name(), 0, () -> 0);
      }
    },
    ONE_RECORD {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.file(name(), 1, () -> 3);
      }
    },
    NO_RECORDS {
      @Override
      void write(Inputs inputs) throws IOException {
        inputs.file(name(), 0, () -> 0);
        inputs.file(name(), 0, () -> 0);
      }
    };

    abstract void write(Inputs inputs) throws IOException;

    Job job(Job job, int reduces) {
      return Tasks.digests(job, reduces);
    }
  }

  static List<Arguments> all() {
    List<Arguments> all = new ArrayList<>();
    for (Shape shape : Shape.values()) {
      Stream.of(1, 3, MANY).forEach(reduces -> all.add(Arguments.of(shape, reduces)));
    }
    return all;
  }

  /** Each shape; and the other numbers of reduces with some shapes: many take stock seconds. */
  static List<Arguments> quick() {
    return all().stream()
        .filter(
            each ->
                switch ((int) each.get()[1]) {
                  case 1 -> each.get()[0] == Shape.SKEWED || each.get()[0] == Shape.NO_RECORDS;
                  case MANY -> each.get()[0] == Shape.COMBINED;
                  default -> true;
                })
        .toList();
  }

  private Oracle.Program program(Shape shape, int reduces) throws IOException {
    shape.write(inputs);
    return settings -> shape.job(inputs.job(settings, shape.name()), reduces);
  }

  @ParameterizedTest
  @MethodSource("quick")
  void anyExchangeIsAsStock(Shape shape, int reduces) throws Exception {
    oracle.sameAsStock(program(shape, reduces), threads());
  }

  @ParameterizedTest
  @MethodSource("all")
  @Tag("campaign")
  void anyExchangeAndNumberOfThreadsIsAsStock(Shape shape, int reduces) throws Exception {
    Oracle.Program program = program(shape, reduces);
    Oracle.Ran stock = oracle.stock(program);
    for (String exchange : Oracle.EXCHANGES) {
      for (int threads : THREADS) {
        oracle.sameAs(stock, program, exchange, threads);
      }
    }
  }
}
