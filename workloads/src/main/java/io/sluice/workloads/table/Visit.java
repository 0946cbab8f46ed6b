package io.sluice.workloads.table;

import io.sluice.workloads.run.Decimal;

/**
 * What queries need of a line of {@code uservisits}.
 *
 * @param date year, month and day, so that texts are in the order of the days
 * @param revenue in millionths
 */
record Visit(String address, String url, String date, long revenue) {
  static Visit parse(String line) {
    String[] columns = line.split(",", 5);
    return new Visit(columns[0], columns[1], columns[2], Decimal.MICRO.parse(columns[3]));
  }
}
