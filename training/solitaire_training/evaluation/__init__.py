"""Measuring: plays agents on the same deals and sums them up."""
