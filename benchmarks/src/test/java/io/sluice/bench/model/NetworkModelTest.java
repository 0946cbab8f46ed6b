package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.model.FittedModel.NetworkModel;
import io.sluice.bench.model.StageFit.LineFit;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkModelTest {

  /** 400 Gb/s are 50 GB/s: 100 MB of each of 96 tasks take 192 ms. */
  @Test
  void tasksShareTheBandwidth() {
    assertEquals(192.5, NetworkModel.ofGbps(0.5, 400).timeMs(100e6, 96), 1e-9);
  }

  /** 2 ms, and 1 ms for each MB: 8 Gb/s. */
  @Test
  void bothParametersAreFound() {
    NetworkModel fitted =
        NetworkModel.fit(List.of(new LineFit.Point(1e6, 3), new LineFit.Point(4e6, 6)));
    assertEquals(2, fitted.alphaMs(), 1e-9);
    assertEquals(8, fitted.gbps(), 1e-9);
  }

  @Test
  void bytesWithoutACostTakeNoTime() {
    NetworkModel fitted =
        NetworkModel.fit(List.of(new LineFit.Point(1e6, 3), new LineFit.Point(4e6, 3)));
    assertEquals(3, fitted.timeMs(1e9, 96), 1e-9);
  }
}
