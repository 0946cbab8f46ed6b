package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.job.RunningJob.ClientOutput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ClientOutputTest {
  private final BlockingQueue<Integer> percents = new ArrayBlockingQueue<>(10);

  private ClientOutput read(PipedReader from) {
    return new ClientOutput("a job", new BufferedReader(from), (map, reduce) -> percents.add(map));
  }

  @Test
  void whoWaitsForAJobThatHasEndedIsToldWhatItsClientPrinted() throws Exception {
    PipedWriter client = new PipedWriter();
    ClientOutput output = read(new PipedReader(client));
    client.write("Running job: job_1_0002\n map 50% reduce 0%\n");
    client.flush();
    assertEquals("job_1_0002", output.jobId().get(120, TimeUnit.SECONDS));
    assertEquals(50, percents.poll(60, TimeUnit.SECONDS));
    output.requireMore();
    client.write("Job failed\n");
    client.close();
    output.whole().get(120, TimeUnit.SECONDS);
    ClusterException e = assertThrows(ClusterException.class, output::requireMore);
    assertTrue(e.getMessage().startsWith("a job has ended too early"), e.getMessage());
    assertTrue(e.getMessage().endsWith("Job failed\n"), e.getMessage());
  }

  @Test
  void aDriverHasAllJobsThatItSubmits() throws IOException {
    PipedWriter client = new PipedWriter();
    ClientOutput output = read(new PipedReader(client));
    client.write("Running job: job_1_0002\n map 100% reduce 100%\nRunning job: job_1_0003\n");
    client.close();
    output.whole().orTimeout(120, TimeUnit.SECONDS).join();
    assertEquals("job_1_0002", output.jobId().join());
    assertEquals(List.of("job_1_0002", "job_1_0003"), output.jobIds());
  }

  @Test
  void aClientThatSubmitsNothingHasNoJob() throws IOException {
    PipedReader from = new PipedReader();
    new PipedWriter(from).close();
    ClientOutput output = read(from);
    assertEquals("", output.jobId().orTimeout(120, TimeUnit.SECONDS).join());
    assertEquals("", output.whole().orTimeout(120, TimeUnit.SECONDS).join());
    assertEquals(List.of(), output.jobIds());
  }
}
