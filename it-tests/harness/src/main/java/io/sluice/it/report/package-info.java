/** Progress on the console, and results: JSON, marked sections of pages, reports of tests. */
package io.sluice.it.report;
