/**
 * What is said while something runs, and what is left when it has: JSON, marked sections of pages,
 * reports of tests.
 */
package io.sluice.it.report;
