package io.sluice.spark.report;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.spark.scheduler.SparkListenerEvent;

/**
 * Reports of executors as one of the application's events. In a file of events it is one line of
 * JSON with this class's name: Spark writes each event of another project to the disk at once. A
 * history server without the class leaves the line out; with an older or newer one it reads what
 * both know.
 *
 * <p>Thread contract: immutable.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public final class ReportsEvent implements SparkListenerEvent {
  @JsonProperty private final List<ExecutorReport> reports;

  /**
   * With a copy of the list.
   *
   * @param reports null counts as none: a line of JSON of another release may lack it
   */
  @JsonCreator
  public ReportsEvent(@JsonProperty("reports") List<ExecutorReport> reports) {
    this.reports =
        reports == null
            ? Collections.emptyList()
            : Collections.unmodifiableList(new ArrayList<>(reports));
  }

  public List<ExecutorReport> reports() {
    return reports;
  }
}
