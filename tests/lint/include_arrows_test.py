"""Made-up trees: each breaks one rule, and the lint must say which."""
import pathlib
import tempfile
import unittest

import include_arrows


def complaints(**files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files["tree"].items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        return include_arrows.check(root)[0]


class IncludeArrows(unittest.TestCase):
    def assert_broken(self, path, include, words):
        found = complaints(tree={path: f"#include {include}"})
        self.assertEqual(len(found), 1, found)
        self.assertIn(f"{path}:1:", found[0])
        self.assertIn(words, found[0])

    def assert_fine(self, path, include):
        self.assertEqual(complaints(tree={path: f"#include {include}"}), [])

    def test_folders_that_may_not_meet(self):
        for path, include in [
            ("prime/run/run.cc", "agent/load/load_session.h"),
            ("agent/main.cc", "prime/run/run.h"),
            ("workloads/file_set.cc", "results/histogram.h"),
            ("results/judge.cc", "workloads/operation.h"),
            ("base/clock.cc", "results/histogram.h"),
            ("agent/main.cc", "tests/simulation/simulated_fleet.h"),
        ]:
            with self.subTest(path=path, include=include):
                self.assert_broken(path, f'"{include}"', "may not include")

    def test_base_does_not_see_proto(self):
        self.assert_broken("base/clock.h", '"crest/v1/spec.pb.h"', "may not see proto")

    def test_libraries_stay_in_their_folders(self):
        for path, include in [
            ("results/report.cc", "<grpcpp/grpcpp.h>"),
            ("workloads/validate.cc", '"crest/v1/agent.grpc.pb.h"'),
            ("agent/service/agent_service.cc", "<prometheus/exposer.h>"),
            ("agent/engines/sim/sim_engine.cc", "<nfsc/libnfs.h>"),
            ("prime/run/run.cc", "<sqlite3.h>"),
            ("results/judge.cc", "<yaml-cpp/yaml.h>"),
        ]:
            with self.subTest(path=path, include=include):
                self.assert_broken(path, include, "may see this library")

    def test_an_engine_is_named_by_itself_alone(self):
        self.assert_broken("agent/load/generator.cc", '"agent/engines/nfs/nfs_engine.h"', "may name the engine")
        self.assert_broken("agent/engines/sim/x.cc", '"agent/engines/nfs/nfs_engine.h"', "may name the engine")
        self.assert_fine("agent/engines/nfs/x.cc", '"agent/engines/nfs/nfs_engine.h"')

    def test_own_headers_are_named_from_the_root(self):
        self.assert_broken("results/judge.cc", '"judge.h"', "from the root")

    def test_what_the_design_allows(self):
        for path, include in [
            ("prime/run/run.cc", '"results/judge.h"'),
            ("agent/load/recorder.cc", '"results/histogram.h"'),
            ("agent/service/agent_service.cc", '"crest/v1/agent.grpc.pb.h"'),
            ("agent/metrics/exposer.cc", "<prometheus/exposer.h>"),
            ("results/index.cc", "<sqlite3.h>"),
            ("tests/simulation/x.cc", '"agent/load/generator.h"'),
            ("base/clock.cc", "<vector>"),
        ]:
            with self.subTest(path=path, include=include):
                self.assert_fine(path, include)


if __name__ == "__main__":
    unittest.main()
