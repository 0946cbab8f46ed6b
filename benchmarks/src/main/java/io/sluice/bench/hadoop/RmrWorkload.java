package io.sluice.bench.hadoop;

import io.sluice.bench.Comparison.Variant;
import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The paper's programs (its section IV-D), HiBench's first and then PUMA's. In the place of
 * TestDFSIO, which shuffles nothing, is a join; beside them WordCount as users run it.
 */
public enum RmrWorkload {
  SORT("sort", RmrInput.RECORDS, 1, 0.58),
  TERASORT("terasort", RmrInput.ROWS, 1, 0.46),
  PAGE_RANK("pagerank", RmrInput.GRAPH, 0.25, 0.79),
  /** Without a combiner. */
  WORD_COUNT("wordcount", RmrInput.TEXT, 1, 0.82),
  /** The paper does not have it. */
  WORD_COUNT_COMBINED("wordcount", RmrInput.TEXT, 1, Double.NaN),
  K_MEANS("kmeans", RmrInput.POINTS, 0.25, 0.89),
  JOIN("join", RmrInput.TABLES, 1, Double.NaN),
  ADJACENCY_LIST("adjacencylist", RmrInput.EDGES, 1, 0.61),
  SELF_JOIN("selfjoin", RmrInput.ASSOCIATIONS, 1, 0.42),
  SEQUENCE_COUNT("sequencecount", RmrInput.TEXT, 0.5, 0.68),
  INVERTED_INDEX("invertedindex", RmrInput.DOCUMENTS, 1, 0.82),
  RANKED_INVERTED_INDEX("rankedinvertedindex", RmrInput.SEQUENCES, 0.5, 0.61);

  private static final int REDUCES = 2;
  private static final Duration DEADLINE = Duration.ofMinutes(60);

  private final String program;
  private final RmrInput input;
  private final double sizeShare;
  private final double paperShare;

  /**
   * @param sizeShare how large its input is; smaller where several jobs read it
   * @param paperShare what RMR-NVM takes of stock's time in the paper, which says how much less; or
   *     NaN
   */
  RmrWorkload(String program, RmrInput input, double sizeShare, double paperShare) {
    this.program = program;
    this.input = input;
    this.sizeShare = sizeShare;
    this.paperShare = paperShare;
  }

  String program() {
    return program;
  }

  /** How tables call it. */
  String title() {
    return this == WORD_COUNT_COMBINED ? "wordcount, combined" : program;
  }

  /** How files of results call it. */
  String fileName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  RmrInput input() {
    return input;
  }

  long inputBytes(long sizeBytes) {
    return Math.round(sizeBytes * sizeShare);
  }

  OptionalDouble paperShare() {
    return Double.isNaN(paperShare) ? OptionalDouble.empty() : OptionalDouble.of(paperShare);
  }

  /** Whether its output is lines, and no sequence file. */
  boolean isText() {
    return this != SORT;
  }

  /** All of it, on what its input's maker has written. */
  JobSpec job(Workspace workspace, HadoopDistribution hadoop, String in, String out) {
    return jobOf(workspace, hadoop, in, out).with("mapreduce.job.reduces", REDUCES);
  }

  private JobSpec jobOf(Workspace workspace, HadoopDistribution hadoop, String in, String out) {
    return switch (this) {
      case SORT ->
          JobSpec.example(hadoop, program, program, "-r", Integer.toString(REDUCES), in, out)
              .withDeadline(DEADLINE);
      case TERASORT -> JobSpec.example(hadoop, program, program, in, out).withDeadline(DEADLINE);
      case PAGE_RANK -> program(workspace, program, in, out, "3");
      case WORD_COUNT ->
          program(workspace, program, in, out).with("workloads.wordcount.combine", false);
      case K_MEANS -> program(workspace, program, in, out, "5", "5");
      case JOIN -> program(workspace, program, in + "/rankings", in + "/uservisits", out);
      default -> program(workspace, program, in, out);
    };
  }

  /** A program of the module workloads, by its name, as {@code hadoop jar} starts it. */
  static JobSpec program(Workspace workspace, String name, String... arguments) {
    return new JobSpec(
        name, workspace.workloadsJar(), name, Map.of(), List.of(arguments), DEADLINE);
  }

  /** The input of programs, and its generator. */
  enum RmrInput {
    /** Keys of 10 to 1,000 bytes and values of up to 20,000, by Hadoop's RandomWriter. */
    RECORDS,
    /** Rows of 100 bytes, by Hadoop's TeraGen. */
    ROWS,
    TEXT("generate-text", 79),
    DOCUMENTS("generate-documents", 595),
    POINTS("generate-points", 30),
    GRAPH("generate-graph", 90),
    EDGES("generate-graph", 170),
    ASSOCIATIONS("generate-associations", 85),
    TABLES("generate-tables", 92),
    /** The output of sequencecount for a {@link #TEXT}. */
    SEQUENCES;

    private static final int ROW_BYTES = 100;
    private static final int MAPS = 2; // of Hadoop's generators

    private final String generator;
    private final int recordBytes;

    /** An input that a job makes. */
    RmrInput() {
      this("", 0);
    }

    /**
     * An input that a generator of the module workloads makes.
     *
     * @param recordBytes about what a record takes
     */
    RmrInput(String generator, int recordBytes) {
      this.generator = generator;
      this.recordBytes = recordBytes;
    }

    /** A job that writes about so many bytes of it; {@link #SEQUENCES} come from a program. */
    JobSpec maker(Workspace workspace, HadoopDistribution hadoop, long sizeBytes, String to) {
      return switch (this) {
        case RECORDS ->
            JobSpec.example(hadoop, "RandomWriter", "randomwriter", to)
                .with(
                    Map.of(
                        "mapreduce.randomwriter.totalbytes", Long.toString(sizeBytes),
                        "mapreduce.randomwriter.bytespermap", Long.toString(sizeBytes / MAPS)));
        case ROWS ->
            JobSpec.example(hadoop, "TeraGen", "teragen", Long.toString(sizeBytes / ROW_BYTES), to)
                .with("mapreduce.job.maps", MAPS);
        case SEQUENCES -> throw new IllegalStateException("no generator writes " + this);
        case EDGES -> generate(workspace, sizeBytes, to).with("workloads.graph.edges", true);
        default -> generate(workspace, sizeBytes, to);
      };
    }

    private JobSpec generate(Workspace workspace, long sizeBytes, String to) {
      return RmrWorkload.program(
          workspace, generator, Long.toString(Math.max(1, sizeBytes / recordBytes)), to);
    }
  }

  /** A way to run a program on YARN. */
  public enum RmrVariant implements Variant {
    STOCK("stock", HadoopVariant.STOCK),
    TUNED("stock tuned", HadoopVariant.TUNED),
    /** In memory, as it is. */
    SLUICE("Sluice", HadoopVariant.SLUICE),
    /** The same with all of its settings: JVMs start from the node's archive of classes. */
    ARCHIVE("Sluice, archive of classes", HadoopVariant.SLUICE_ARCHIVE),
    /** The same on nodes whose pools take writes as slowly as the paper says NVRAM does. */
    NVRAM("Sluice, NVRAM", HadoopVariant.SLUICE);

    /** The setting that makes a pool as slow as NVRAM: the paper's δ. */
    public static final Map<String, String> NVRAM_SITE =
        Map.of("sluice.pool.medium", "emulated:10");

    private final String title;
    private final HadoopVariant shuffle;

    RmrVariant(String title, HadoopVariant shuffle) {
      this.title = title;
      this.shuffle = shuffle;
    }

    @Override
    public String title() {
      return title;
    }

    boolean isOurs() {
      return shuffle.isOurs();
    }

    /**
     * The settings of the job; only one variant has an archive of classes, which would help them
     * all.
     */
    Map<String, String> settings(PseudoCluster cluster) {
      return shuffle.settings(cluster);
    }
  }
}
