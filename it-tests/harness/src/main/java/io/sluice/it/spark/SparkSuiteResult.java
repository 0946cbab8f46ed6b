package io.sluice.it.spark;

import io.sluice.it.report.TestReports;
import io.sluice.it.spark.suites.Evidence;
import io.sluice.it.spark.suites.ListedSuite;

/**
 * What came of one of Spark's suites.
 *
 * @param reports of its tests, and of the suite itself if it did not get as far
 * @param evidence of what shuffled
 */
public record SparkSuiteResult(
    ListedSuite suite, TestReports reports, Evidence evidence, double seconds) {}
