package io.sluice.bench.rmr;

import io.sluice.it.cluster.HadoopDistribution;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import java.util.Map;

/** What programs read; who writes it. */
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
  /** What sequencecount puts out of a {@link #TEXT}. */
  SEQUENCES;

  private static final int ROW_BYTES = 100;
  private static final int MAPS = 2; // of Hadoop's generators

  private final String generator;
  private final int recordBytes;

  /** By a job. */
  RmrInput() {
    this("", 0);
  }

  /**
   * By a generator of the module workloads.
   *
   * @param recordBytes about what a record takes
   */
  RmrInput(String generator, int recordBytes) {
    this.generator = generator;
    this.recordBytes = recordBytes;
  }

  /** What writes about so many bytes of it; {@link #SEQUENCES} are the output of a program. */
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
