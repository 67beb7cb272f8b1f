//===- SelectionTest.cpp - tests that the back end has what the feature table grants
//-----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM ends the process on an instruction that it cannot select. Here each instruction is compiled, with the
// PTX version of the chip's row, for every chip that the feature table grants it to, and assembled.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tilus/Target/Cubin/Cubin.h"
#include "Tilus/TargetInfo/TargetInfo.h"

using namespace tilus;
using testing::HasSubstr;

namespace {
struct SelectionRow {
  Feature feature;
  /// What the PTX has to contain.
  const char *instruction;
  /// Ops on %s (shared), %g (global), %i (i32), %d (i64), %f (f32) and %t (tensor memory).
  const char *ops;
};

class SelectionTest : public TargetTest, public testing::WithParamInterface<SelectionRow> {};
} // namespace

static const char kernel[] = R"(
gpu.module @selection {
  llvm.func @selection(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %p: !llvm.ptr, %t: !llvm.ptr<6>, %i: i32, %d: i64,
                       %f: f32) attributes {gpu.kernel, nvvm.kernel} {
    OPS
    llvm.return
  }
})";

TEST_P(SelectionTest, isSelectedAndAssembledWhereGranted) {
  CubinOptions assembly;
  bool hasAssembler = !findToolkitFile(ToolkitFile::NvJitLink, assembly.toolkit).path.empty();
  for (const TargetInfo &target : allTargets()) {
    if (!target.hasFeature(GetParam().feature))
      continue;
    std::string ptx = translate(substitute(kernel, "OPS", GetParam().ops), target.chip);
    ASSERT_THAT(ptx, HasSubstr(GetParam().instruction)) << target.chip.str() << ": " << diagnostics;
    if (!hasAssembler || target.id == Chip::sm_70)
      continue;
    llvm::Expected<Cubin> cubin = assemble(ptx, target.chip, assembly);
    EXPECT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  }
}

static const SelectionRow rows[] = {
    {Feature::Ldmatrix, "ldmatrix.sync",
     R"(%r = nvvm.ldmatrix %s {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> i32
        llvm.store %r, %g : i32, !llvm.ptr<1>)"},
    {Feature::Stmatrix, "stmatrix.sync",
     R"(nvvm.stmatrix %s, %i {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32)"},
    {Feature::CpAsync, "cp.async.cg",
     "nvvm.cp.async.shared.global %s, %g, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>"},
    {Feature::Mbarrier, "mbarrier.init", "nvvm.mbarrier.init %s, %i : !llvm.ptr<3>, i32"},
    {Feature::MbarrierTx, "mbarrier.arrive.expect_tx",
     "nvvm.mbarrier.arrive.expect_tx %s, %i : !llvm.ptr<3>, i32"},
    {Feature::MbarrierTryWait, "mbarrier.try_wait",
     R"(%r = nvvm.mbarrier.try_wait %s, %d : !llvm.ptr<3>, i64 -> i1
        llvm.store %r, %g : i1, !llvm.ptr<1>)"},
    {Feature::Cluster, "barrier.cluster.arrive", "nvvm.cluster.arrive"},
    {Feature::FenceProxyAsync, "fence.proxy.async", "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async>}"},
    {Feature::Griddepcontrol, "griddepcontrol.wait", "nvvm.griddepcontrol wait"},
    {Feature::Elect, "elect.sync", R"(%r = nvvm.elect.sync -> i1
        llvm.store %r, %g : i1, !llvm.ptr<1>)"},
    {Feature::Setmaxnreg, "setmaxnreg.dec", "nvvm.setmaxregister decrease 24"},
    {Feature::Nanosleep, "nanosleep", "nvvm.nanosleep %i"},
    {Feature::Wgmma, "wgmma.fence", "nvvm.wgmma.fence.aligned"},
    {Feature::Tcgen05, "tcgen05.alloc", "nvvm.tcgen05.alloc %s, %i : !llvm.ptr<3>, i32"},
    {Feature::Tcgen05, "tcgen05.mma", R"(%b = llvm.icmp "eq" %i, %i : i32
        nvvm.tcgen05.mma %t, %d, %d, %i, %b {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1))"},
    {Feature::Tcgen05, "tcgen05.commit", "nvvm.tcgen05.commit %s : !llvm.ptr<3>"},
    {Feature::Tcgen05Shift, "tcgen05.shift", "nvvm.tcgen05.shift %t : !llvm.ptr<6>"},
    {Feature::ClusterLaunchControl, "clusterlaunchcontrol.try_cancel",
     "nvvm.clusterlaunchcontrol.try.cancel %s, %s"},
    {Feature::ClusterLaunchControlMulticast, "multicast::cluster::all",
     "nvvm.clusterlaunchcontrol.try.cancel multicast, %s, %s"},
    {Feature::ReduxInt, "redux.sync.add", R"(%r = nvvm.redux.sync add %i, %i : i32 -> i32
        llvm.store %r, %g : i32, !llvm.ptr<1>)"},
    {Feature::ReduxF32, "redux.sync.min.f32", R"(%r = nvvm.redux.sync fmin %f, %i : f32 -> f32
        llvm.store %r, %g : f32, !llvm.ptr<1>)"},
    {Feature::CvtTF32, "cvt.rna.tf32", R"(%r = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}
        llvm.store %r, %g : i32, !llvm.ptr<1>)"},
    {Feature::CvtF8, "cvt.rn.satfinite.e4m3x2",
     R"(%r = nvvm.convert.f32x2.to.f8x2 %f, %f {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8> (f8E4M3FN)
        llvm.store %r, %g : vector<2xi8>, !llvm.ptr<1>)"},
    {Feature::CvtF6, "cvt.rn.satfinite.e2m3x2", R"(%r = nvvm.convert.f32x2.to.f6x2 %f, %f : i16 (f6E2M3FN)
        llvm.store %r, %g : i16, !llvm.ptr<1>)"},
    {Feature::CvtF4, "cvt.rn.satfinite.e2m1x2", R"(%r = nvvm.convert.f32x2.to.f4x2 %f, %f : i8 (f4E2M1FN)
        llvm.store %r, %g : i8, !llvm.ptr<1>)"},
    {Feature::CvtBF16, "cvt.rn.bf16.f32", R"(%r = llvm.fptrunc %f : f32 to bf16
        llvm.store %r, %g : bf16, !llvm.ptr<1>)"},
    {Feature::GlobalAccess256, "ld.global.v4.b64",
     R"(%r = llvm.load %g {alignment = 32 : i64} : !llvm.ptr<1> -> vector<8xf32>
        %q = llvm.getelementptr %g[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<8xf32>
        llvm.store %r, %q {alignment = 32 : i64} : vector<8xf32>, !llvm.ptr<1>)"},
    {Feature::AtomicF64, "atom.", R"(%x = llvm.mlir.constant(1.0 : f64) : f64
        %r = llvm.atomicrmw fadd %g, %x monotonic : !llvm.ptr<1>, f64
        llvm.store %r, %g : f64, !llvm.ptr<1>)"},
    {Feature::Tma, "prefetch.tensormap", "nvvm.prefetch tensormap, %p : !llvm.ptr"},
};

INSTANTIATE_TEST_SUITE_P(Rows, SelectionTest, testing::ValuesIn(rows),
                         [](const testing::TestParamInfo<SelectionRow> &info) {
                           std::string name = getFeatureInfo(info.param.feature).name.str();
                           for (char &c : name)
                             c = llvm::isAlnum(c) ? c : '_';
                           return name + "_" + std::to_string(info.index);
                         });
